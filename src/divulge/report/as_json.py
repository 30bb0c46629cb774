"""A run as JSON: the content of results.json as it is."""

from __future__ import annotations

from divulge.records import RunResults

__all__ = ["render"]


def render(results: RunResults) -> str:
    """Writes the results for machines."""
    return results.model_dump_json(indent=1) + "\n"
