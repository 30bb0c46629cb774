"""Fakes that ship with the package: targets that leak everything or nothing, and worlds made of them."""

from __future__ import annotations

from divulge.testing.worlds import WORLDS, World, world

__all__ = ["WORLDS", "World", "world"]
