"""Divulge: a privacy audit of text models, run by the people responsible for them."""

from __future__ import annotations

from divulge.errors import AuditError, BudgetExhausted, EvidenceError, ExecutionError, InputError

__all__ = ["AuditError", "BudgetExhausted", "EvidenceError", "ExecutionError", "InputError", "__version__"]

__version__ = "0.1.0"
