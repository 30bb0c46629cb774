"""Secrets that come back under every seed."""

import numpy as np
import pytest

from divulge.auditing.pooling import Attacked, measured
from divulge.auditing.repeats import distinct, identities
from divulge.metrics.base import Scored
from divulge.metrics.membership import AreaUnderCurve
from divulge.metrics.reconstruction import ExactSentence
from divulge.records import (
    Gaps,
    LeakedRow,
    Member,
    Passage,
    Ranking,
    RowContent,
    Tokens,
    UserTexts,
    Verdict,
)


def rows(
    texts: dict[int, str], tag: str, answers: dict[int, str] | None = None, hits: frozenset[int] = frozenset()
) -> Scored:
    """Rows by number; ids carry a tag, answers are their own texts unless given."""
    told = answers or texts
    return Scored(
        answers={f"{tag}{row}": RowContent(tokens=(told[row],)) for row in texts},
        hints={f"{tag}{row}": LeakedRow(row=row) for row in texts},
        guesses={
            f"{tag}{row}": Ranking(secret_id=f"{tag}{row}", candidates=((told[row] if row in hits else "no",),))
            for row in texts
        },
    )


def users(tag: str, used: list[bool], statistics: list[float]) -> Scored:
    """Users in order, told by their texts."""
    ids = [f"{tag}{number}" for number in range(len(used))]
    return Scored(
        answers={key: Member(used=one) for key, one in zip(ids, used, strict=True)},
        hints={key: UserTexts(examples=(Passage(tokens=(f"w{number}",)),)) for number, key in enumerate(ids)},
        guesses={key: Verdict(secret_id=key, statistic=one) for key, one in zip(ids, statistics, strict=True)},
    )


def test_a_row_is_its_number_and_its_text() -> None:
    """The id is not; another number or another text is another row."""
    first, again = rows({1: "a", 2: "b"}, "x"), rows({1: "a", 2: "c", 3: "b"}, "y")
    one, two = identities(first, first), identities(again, again)
    assert one["x1"] == two["y1"]
    assert len({*one.values(), *two.values()}) == 4


def test_a_control_row_is_the_row_it_asks_about() -> None:
    """Whatever text it is given as an answer under this seed or that."""
    asked = rows({1: "a", 2: "b", 3: "c"}, "x")
    here = identities(rows({1: "a"}, "c", {1: "b"}), asked)
    there = identities(rows({1: "a"}, "d", {1: "c"}), asked)
    assert here["c1"] == there["d1"] == identities(asked, asked)["x1"]


def test_a_user_is_the_texts_used_or_not() -> None:
    """A member of one model is an outsider of another."""
    first, again = users("x", [True, False], [0.0, 0.0]), users("y", [False, True], [0.0, 0.0])
    assert list(identities(first, first).values()) == list(identities(again, again).values())


def test_canaries_are_told_by_their_id() -> None:
    """Two that are alike by chance are two; one of a secrets file comes back under its id."""
    gaps = Gaps(tokens=("pin", None), candidates=(("1", "2"),))
    one, other = ({key: Tokens(tokens=("1",))} for key in ("s0", "s1"))
    first, second = Scored(answers=one, hints={"s0": gaps}), Scored(answers=other, hints={"s1": gaps})
    assert identities(first, first)["s0"] != identities(second, second)["s1"]
    assert identities(first, first) == identities(first, second)


def test_n_counts_those_that_a_figure_is_about() -> None:
    """Three people asked twice: a figure over members alone has as many as were ever members."""
    pooled = users("x", [True, True, False, True, False, False], [0.0] * 6)
    same = dict(zip(pooled.answers, "abcacb", strict=True))
    # members: a, b, a; so two of them are different; all six are three
    assert (distinct(6, pooled, same), distinct(3, pooled, same), distinct(2, pooled, same)) == (3, 2, 2)


def test_five_models_of_one_mind_do_not_narrow_the_interval() -> None:
    """Forty sentences, asked of five models that give the same answers, bear what forty sentences bear.

    Twenty of forty: Wilson's interval is [0.352, 0.648]; two hundred of their own would give [0.431, 0.569].
    """
    texts, hits = {row: f"t{row}" for row in range(40)}, frozenset(range(20))
    parts = [Attacked(seed, f"m{seed}", {"attack": rows(texts, f"s{seed}-", hits=hits)}) for seed in range(5)]
    (figure,) = [one for one in measured(ExactSentence(), parts, "attack", np.random.default_rng(0)) if not one.group]
    assert (figure.value, figure.n) == (0.5, 40)
    # A bootstrap over forty sentences moves in steps of 0.025, and hangs on the order in which they are drawn.
    assert figure.low == pytest.approx(0.352, abs=0.03)
    assert figure.high == pytest.approx(0.648, abs=0.03)


def test_the_interval_covers_the_population_as_often_as_it_says() -> None:
    """Sentences drawn from a population of which half leak; each seed asks about most of the same eighty."""
    rng, covered = np.random.default_rng(1), 0
    for _ in range(60):
        leaking = rng.random(80) < 0.5
        parts = []
        for seed in range(4):
            drawn = sorted(rng.permutation(80)[:60].tolist())
            hits = frozenset(row for row in drawn if leaking[row])
            arm = rows({row: f"t{row}" for row in drawn}, f"s{seed}-", hits=hits)
            parts.append(Attacked(seed, f"m{seed}", {"attack": arm}))
        (figure,) = [one for one in measured(ExactSentence(), parts, "attack", rng) if not one.group]
        assert figure.low is not None
        assert figure.high is not None
        covered += figure.low <= 0.5 <= figure.high
    # 95 % of 60 are 57; fewer than 52 would come by chance less than once in a hundred times.
    assert covered >= 52


def test_people_are_compared_within_their_models_and_counted_once() -> None:
    """Five models say the same of forty people: the area's interval is no narrower than that of one model."""
    rng = np.random.default_rng(2)
    used, statistics = [True, False] * 20, rng.normal(size=40).tolist()
    parts = [Attacked(seed, f"m{seed}", {"attack": users(f"s{seed}-", used, statistics)}) for seed in range(5)]
    (single,) = measured(AreaUnderCurve(), parts[:1], "attack", rng)
    (figure,) = measured(AreaUnderCurve(), parts, "attack", rng)
    assert figure.n == 40
    assert figure.value == pytest.approx(single.value)
    assert None not in (single.low, single.high, figure.low, figure.high)
    assert figure.high - figure.low >= 0.85 * (single.high - single.low)  # type: ignore[operator]


def test_a_moved_interval_stays_on_the_scale() -> None:
    """An area is never above 1, nor below 0."""
    parts = [
        Attacked(seed, f"m{seed}", {"attack": users(f"s{seed}-", [True, False] * 6, [1.0, -1.0] * 5 + [at, 0.0])})
        for seed, at in ((0, -0.5), (1, 0.5), (2, 0.5))
    ]
    (figure,) = measured(AreaUnderCurve(), parts, "attack", np.random.default_rng(0))
    assert figure.low is not None
    assert figure.high is not None
    assert figure.value is not None
    assert 0 <= figure.low <= figure.value <= figure.high <= 1
