"""Worlds: what an adversary is told there must not hold the answers."""

from __future__ import annotations

import pytest

from divulge.access import (
    LEVELS,
    Access,
    EmbeddedRowsAccess,
    GradientAccess,
    LabelAccess,
    LabelLikelihoodAccess,
    RankedTokensAccess,
)
from divulge.errors import InputError
from divulge.handshake import OwnerSample
from divulge.records import Gaps, Member, RecordText, RowContent, Tokens, UserTexts
from divulge.testing import WORLDS, world


def test_there_is_a_world_for_every_access_level() -> None:
    """A new level needs a world before it needs an attack."""
    assert set(WORLDS) == set(LEVELS.values())


@pytest.mark.parametrize(
    ("level", "kind"),
    [(level, kind) for level, kinds in WORLDS.items() for kind in kinds],
    ids=lambda one: one if isinstance(one, str) else one.__name__,
)
@pytest.mark.parametrize("leaky", [True, False])
def test_a_world_grants_its_level_and_passes_its_handshake(level: type[Access], kind: str, leaky: bool) -> None:
    """Silence must come from the model, not from a broken access."""
    here = world(level, kind=kind, leaky=leaky, secrets=60 if kind == "records" else 20)
    assert level in here.access
    texts = [text for text in here.case.corpus if not text.planted]
    sample = OwnerSample(
        texts=texts[:200], row_texts={row: t.tokens for row, t in enumerate(here.case.corpus.texts[:8])}
    )
    checks = [check for access in here.access.accesses for check in access.handshake(sample)]
    assert checks
    assert [check for check in checks if check.passed is False] == []


def test_a_world_that_does_not_exist_is_refused() -> None:
    """The error lists the levels, and the kinds of secrets, that there are."""
    with pytest.raises(InputError, match="no world for Access"):
        world(Access, leaky=True)
    with pytest.raises(InputError, match="no world of rows for LabelAccess. Available: canaries, records"):
        world(LabelAccess, leaky=True, kind="rows")


def test_hints_do_not_hold_pins() -> None:
    """Holes are open, every secret of the pattern has the same candidates, and the known parts differ."""
    here = world(GradientAccess, leaky=True, secrets=50)
    hints = [hint for hint in here.hints.values() if isinstance(hint, Gaps)]
    assert len({hint.candidates for hint in hints}) == 1
    assert len({hint.tokens for hint in hints}) == 50
    assert all(len(hint.holes) == 3 for hint in hints)
    answers = [answer for answer in here.answers.values() if isinstance(answer, Tokens)]
    assert all(not set(answer.tokens) & set(hint.tokens) for answer, hint in zip(answers, hints, strict=True))


def test_people_are_half_members_and_nothing_but_their_texts_is_told() -> None:
    """Members and others have as many texts, and the order of secrets does not sort them."""
    here = world(RankedTokensAccess, leaky=True, secrets=60)
    used = [answer.used for answer in here.answers.values() if isinstance(answer, Member)]
    assert sum(used) == 30
    assert used != sorted(used)
    assert used != sorted(used, reverse=True)
    counts = {len(hint.examples) for hint in here.hints.values() if isinstance(hint, UserTexts)}
    assert counts == {8}


def test_practice_shares_no_person_and_no_sentence_with_the_target() -> None:
    """What the adversary practises on is its own."""
    people = world(RankedTokensAccess, leaky=True, secrets=60)
    private = {hint.examples for hint in people.hints.values() if isinstance(hint, UserTexts)}
    own = {s.hint.examples for p in people.background.practice for s in p.secrets if isinstance(s.hint, UserTexts)}
    assert own
    assert not private & own
    rows = world(EmbeddedRowsAccess, leaky=True, secrets=60)
    hidden = {answer.tokens for answer in rows.answers.values() if isinstance(answer, RowContent)}
    public = {s.answer.tokens for p in rows.background.practice for s in p.secrets if isinstance(s.answer, RowContent)}
    assert public
    assert len(hidden & public) <= 1


def test_records_are_half_members_and_none_is_known_to_be_out() -> None:
    """Members are trained on, others are not; what the adversary is told to be out is nobody asked about."""
    here = world(LabelLikelihoodAccess, leaky=True, kind="records", secrets=60)
    trained = {text.tokens for text in here.case.corpus.split("train")}
    asked = {hint.tokens: here.answers[name] for name, hint in here.hints.items() if isinstance(hint, RecordText)}
    assert len(asked) == 60
    assert {tokens for tokens, answer in asked.items() if answer == Member(used=True)} == trained & set(asked)
    assert sum(answer == Member(used=True) for answer in asked.values()) == 30
    out = {hint.tokens for hint in here.background.controls if isinstance(hint, RecordText)}
    assert len(out) == 12
    assert not out & (set(asked) | trained)
    assert len(here.background.practice) == 4
    assert all(practice.secrets == () for practice in here.background.practice)
