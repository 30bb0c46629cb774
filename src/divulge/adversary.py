"""What an adversary has before it asks anything: public text, and models of its own to practise on."""

from __future__ import annotations

from dataclasses import dataclass, field

from divulge.grants import Grant
from divulge.records import Artefact, Hint, Secret, Text

__all__ = ["Background", "Knowledge", "Practice"]


@dataclass(frozen=True)
class Practice:
    """A model the adversary owns (a shadow, a reference, a public encoder) with its secrets *and answers*.

    It carries the defence only if the adversary knows it: that is the static/adaptive switch.
    """

    access: Grant
    secrets: tuple[Secret, ...] = ()


@dataclass(frozen=True)
class Background:
    """Everything an adversary may use offline. With the access granted online it is the whole threat model."""

    corpus: tuple[Text, ...] = ()
    controls: tuple[Hint, ...] = ()  # secrets known never to have been used: what a p-value is calibrated on
    practice: tuple[Practice, ...] = field(default_factory=tuple)
    told: tuple[str, ...] = ()  # the private texts' tokens, sorted: only where an attack is run as it was published


@dataclass(frozen=True)
class Knowledge(Artefact):
    """What an attack learnt in `prepare` and, if it asked for that, the adversary's models to be asked again online.

    A record's likelihood under models that never saw it can only be had once it is known which record it is.
    """

    practice: tuple[Practice, ...] = ()
