"""What a probe must be."""

from __future__ import annotations

import pytest

from divulge.errors import InputError
from divulge.parts import load
from divulge.probes import PROBES
from divulge.probes.base import Probe


class Blank(Probe):
    """A probe of which nothing was written."""


def test_a_probe_must_say_what_it_requires_and_measure_something() -> None:
    """What is missing is told before anything runs."""
    with pytest.raises(InputError, match="does not define measure, name, requires, summary, as every Probe must"):
        load(PROBES, f"{__name__}:Blank", Probe, "probe")
