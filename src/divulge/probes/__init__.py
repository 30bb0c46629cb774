"""The probes."""
