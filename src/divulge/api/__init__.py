"""Audits from Python: `divulge.audit` and what it returns. Callers import these names from `divulge` itself."""
