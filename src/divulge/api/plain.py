"""What Python callers write for plain values: paths for text, numbers of NumPy for numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

__all__ = ["plain"]


def plain(value: Any) -> Any:
    """The same with paths as text and NumPy's numbers as Python's, all the way down; anything else is left as it is.

    >>> plain({"path": PurePath("a/b"), "more": (1, PurePath("c"))})
    {'path': 'a/b', 'more': [1, 'c']}
    """
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    return value
