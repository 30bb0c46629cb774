"""Histograms of ranks and the classifier on them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from divulge.access import RankedTokensAccess
from divulge.adversary import Background, Practice
from divulge.attacks.rank_histogram import RankHistogram
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Member, Passage, Secret, UserTexts


class FixedRanks(RankedTokensAccess):
    """A token is the spelling of its own rank."""

    def __init__(self, size: int = 10, limit: int | None = None) -> None:
        self.size, self.limit = size, limit

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(str(rank) for rank in range(self.size))

    @property
    def output_limit(self) -> int:
        return self.limit or self.size

    def _ranks(self, passages: Sequence[Passage]) -> list[np.ndarray]:
        return [np.array([int(token) for token in passage.tokens]) for passage in passages]

    def _best(self, passages: Sequence[Passage]) -> list[tuple[str, ...]]:
        return [("0",) * len(passage.tokens) for passage in passages]


def user(*texts: str) -> UserTexts:
    return UserTexts(examples=tuple(Passage(tokens=tuple(text.split())) for text in texts))


def features(access: RankedTokensAccess, hint: UserTexts, bins: int) -> list[float]:
    return RankHistogram({"bins": bins})._features(access, hint.examples).tolist()


def test_ranks_are_counted_in_bins_of_equal_width() -> None:
    """|V| = 10 in 5 bins of 2: ranks 0, 1 | 2 | - | 7 | 9, and none beyond the limit."""
    assert features(FixedRanks(), user("0 1 2", "7 9"), 5) == [2, 1, 0, 1, 1, 0]


def test_the_first_and_the_last_rank_fall_into_the_outer_bins() -> None:
    """Rank 0 in the first bin, rank |V| - 1 in the last: none is dropped."""
    assert features(FixedRanks(), user("0 9"), 2) == [1, 1, 0]


def test_words_not_among_those_shown_have_a_bin_of_their_own() -> None:
    """Only the best 4 shown, 2 bins: 0, 1 | 3; ranks 4, 7 and 9 are beyond."""
    assert features(FixedRanks(limit=4), user("0 1 3 4 7 9"), 2) == [2, 1, 3]


def background(*controls: UserTexts) -> Background:
    """A shadow whose members rank low and whose others rank high."""
    members = [Secret(id=f"m{i}", hint=user("0 1 0", "1 0 2"), answer=Member(used=True)) for i in range(5)]
    others = [Secret(id=f"o{i}", hint=user("8 7 9", "9 6 8"), answer=Member(used=False)) for i in range(5)]
    return Background(practice=(Practice(Grant([FixedRanks()]), (*members, *others)),), controls=controls)


def test_members_score_higher_than_others() -> None:
    """Shadows whose members rank low teach the sign: a low-rank user is judged a member."""
    attack = RankHistogram({"bins": 5})
    learnt = attack.prepare(background(), np.random.default_rng(0))
    asked = {"in": user("1 1 0", "0 0 1"), "out": user("9 9 7", "8 8 9")}
    found = list(attack.guess(Grant([FixedRanks()]), asked, learnt, np.random.default_rng(0)))
    statistics = {verdict.secret_id: verdict.statistic for verdict in found}  # type: ignore[union-attr]
    assert statistics["in"] > 0 > statistics["out"]
    assert {verdict.p_value for verdict in found} == {None}  # type: ignore[union-attr]
    assert (learnt.values["users"], learnt.values["members"]) == (10, 5)


def test_controls_give_a_p_value() -> None:
    """Three controls: a member beats all, 1/4; one that ties with the worst is reached by all three, 4/4."""
    attack = RankHistogram({"bins": 5})
    learnt = attack.prepare(background(user("9 9 9"), user("8 9 4"), user("4 4 9")), np.random.default_rng(0))
    grant = Grant([FixedRanks()])
    asked = {"in": user("0 0 1"), "out": user("9 9 9")}
    found = {v.secret_id: v.p_value for v in attack.guess(grant, asked, learnt, np.random.default_rng(0))}  # type: ignore[union-attr]
    assert found == {"in": 0.25, "out": 1.0}
    assert grant.meter.asked == {"RankedTokensAccess": 5}  # controls are asked about too


def test_without_both_kinds_of_people_nothing_can_be_learnt() -> None:
    """The error says how to get shadows."""
    with pytest.raises(InputError, match="set adversary.background.shadows"):
        RankHistogram().prepare(Background(), np.random.default_rng(0))


def test_at_most_so_many_texts_are_asked() -> None:
    """`max_texts` and the budget both limit the queries per user; a budget is shared, so that all get a verdict."""
    learnt_on = Background(
        practice=(
            Practice(
                Grant([FixedRanks()]),
                (
                    Secret(id="m", hint=user("0", "1", "0"), answer=Member(used=True)),
                    Secret(id="o", hint=user("9", "8", "9"), answer=Member(used=False)),
                ),
            ),
        )
    )
    attack = RankHistogram({"bins": 5, "max_texts": 2})
    learnt = attack.prepare(learnt_on, np.random.default_rng(0))
    asked = {"a": user("0", "1", "2"), "b": user("0", "1", "2"), "c": user("0")}
    for budget, answered, spent in ((None, 3, 5), (6, 3, 5), (5, 3, 3), (2, 2, 2)):
        grant = Grant([FixedRanks()], budget)
        assert len(list(attack.guess(grant, asked, learnt, np.random.default_rng(0)))) == answered
        assert grant.meter.asked == {"RankedTokensAccess": spent}
    assert RankHistogram.cost(RankHistogram.Options(max_texts=2), user("0", "1", "2")) == 2
    assert RankHistogram.cost(RankHistogram.Options(), user("0", "1", "2")) == 3
