"""What a target must be."""

from __future__ import annotations

import pytest

from divulge.errors import InputError
from divulge.parts import load
from divulge.targets import TARGETS
from divulge.targets.base import Target


class Blank(Target):
    """A target of which nothing was written."""


def test_a_target_must_say_what_it_grants_and_be_trained_and_opened() -> None:
    """What is missing is told before anything runs; a trial recipe is not asked for."""
    said = "does not define grants, hints, name, open, summary, train, as every Target must"
    with pytest.raises(InputError, match=said):
        load(TARGETS, f"{__name__}:Blank", Target, "target")
