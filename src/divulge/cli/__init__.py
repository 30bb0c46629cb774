"""The command line: thin commands over the same functions that Python callers use."""

from __future__ import annotations

from divulge.cli.app import main

__all__ = ["main"]
