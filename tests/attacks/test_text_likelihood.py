"""The Secret Sharer's measurement, on a table worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.attacks.tables import TableTokens

from divulge.adversary import Knowledge
from divulge.attacks.text_likelihood import TextLikelihood
from divulge.grants import Grant
from divulge.records import Gaps, Ranking

TABLE = {"my": 0.9, "pin": 0.9, "1": 0.1, "2": 0.5, "3": 0.2, "end": 0.7}
DIGITS = ("1", "2", "3")
HINT = Gaps(tokens=("my", None, "pin", None, "end"), candidates=(DIGITS, DIGITS))


class Pairs(TableTokens):
    """A "1" that follows a "3" is nearly certain: greed misses it."""

    def _log_likelihoods(self, passages):  # type: ignore[no-untyped-def]
        rows = super()._log_likelihoods(passages)
        for row, passage in zip(rows, passages, strict=True):
            if passage.tokens[1:4:2] == ("3", "1"):
                row[3] = math.log(0.99)
        return rows


def guess(options: dict[str, int], model: TableTokens | None = None, limit: int | None = None) -> list[Ranking]:
    found = TextLikelihood(options).guess(
        Grant([model or Pairs(TABLE)], limit), {"a": HINT, "b": HINT}, Knowledge(), np.random.default_rng(0)
    )
    return list(found)  # type: ignore[arg-type]


def test_the_likeliest_text_comes_first() -> None:
    """2, 2 has 0.5 x 0.5 = 0.25 beside the known words; 3, 1 has 0.2 x 0.99 = 0.198; 1, 1 is last."""
    first = guess({})[0]
    assert first.candidates[:2] == (("2", "2"), ("3", "1"))
    assert first.candidates[-1] == ("1", "1")
    assert len(first.candidates) == 9
    assert first.scores[0] == pytest.approx(math.log(0.9 * 0.5 * 0.9 * 0.5 * 0.7))


def test_scores_are_those_of_the_whole_text() -> None:
    """The sum over all pieces, in the order asked; the impossible is finite."""
    attack, grant = TextLikelihood(), Grant([TableTokens({**TABLE, "0": 0.0})])
    hint = Gaps(tokens=("my", None), candidates=(("0", "1"),))
    impossible, found = attack.score(grant, hint, [("0",), ("1",)], Knowledge())
    assert found == pytest.approx(math.log(0.9 * 0.1))
    assert -1e6 < impossible < found - 100


def test_a_beam_searches_what_is_too_large() -> None:
    """A beam of one follows "2"; the first questions show the text up to the second hole only."""
    model = Pairs(TABLE)
    found = guess({"exhaustive_up_to": 8, "beam": 1}, model)
    assert found[0].candidates == (("2", "2"),)
    assert model.asked[:3] == [("my", word, "pin") for word in DIGITS]
    assert model.asked[3:6] == [("my", "2", "pin", word, "end") for word in DIGITS]
    assert len(model.asked) == 2 * TextLikelihood.cost(TextLikelihood.Options(exhaustive_up_to=8, beam=1), HINT)
    wide = guess({"exhaustive_up_to": 8, "beam": 2})[0]
    assert wide.candidates == (("2", "2"), ("3", "1"))


def test_a_budget_is_spent_on_a_beam() -> None:
    """Nine queries for all of the first secret, then six for a narrow beam, or none."""
    assert [len(one.candidates) for one in guess({}, limit=15)] == [9, 3]
    assert [len(one.candidates) for one in guess({}, limit=9)] == [9]
    assert len(guess({}, limit=11)) == 1


def test_cost_is_the_space_where_that_fits() -> None:
    """Nine completions; a beam asks 3 + 3 x 3."""
    assert TextLikelihood.cost(TextLikelihood.Options(), HINT) == 9
    assert TextLikelihood.cost(TextLikelihood.Options(exhaustive_up_to=8), HINT) == 12


def test_batches_do_not_change_the_answer() -> None:
    """One question at a time gives the same ranking; `keep` only shortens it."""
    assert guess({"batch": 1}) == guess({})
    assert guess({"keep": 2})[0].candidates == guess({})[0].candidates[:2]
