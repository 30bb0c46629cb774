"""A run as JSON: the content of results.json as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from divulge.records import Revealed, RunResults

__all__ = ["render"]


def render(results: RunResults, revealed: Mapping[str, Sequence[Revealed]] | None = None) -> str:
    """Writes the results for machines; secrets are never among them, whatever is revealed."""
    del revealed
    return results.model_dump_json(indent=1) + "\n"
