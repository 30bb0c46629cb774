"""The gap between a model and references on a person's words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from divulge.access import RankedTokensAccess, TokenLikelihoodAccess
from divulge.adversary import Background, Knowledge, Practice
from divulge.attacks.calibrated_ratio import CalibratedRatio
from divulge.attacks.word_evidence import LearntWords, fit_evidence
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Member, Passage, Secret, Text, UserTexts, Verdict


class Ranks(RankedTokensAccess):
    """Ranks by word, as told."""

    def __init__(self, told: Mapping[str, int], limit: int = 1000, pieces: int = 1) -> None:
        self.told, self.limit, self.cut = told, limit, pieces

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(f"w{number}" for number in range(1000))

    @property
    def output_limit(self) -> int:
        return self.limit

    def pieces(self, passages: Sequence[Passage]) -> list[tuple[str, ...]]:
        return [tuple(word for word in passage.tokens for _ in range(self.cut)) for passage in passages]

    def _ranks(self, passages: Sequence[Passage]) -> list[np.ndarray]:
        return [np.array([self.told[word] for word in row]) for row in self.pieces(passages)]

    def _best(self, passages: Sequence[Passage]) -> list[tuple[str, ...]]:
        return [("w0",) * len(row) for row in self.pieces(passages)]


class Likelihoods(Ranks, TokenLikelihoodAccess):
    """Likelihoods one tenth to the power of the rank told."""

    def _log_likelihoods(self, passages: Sequence[Passage]) -> list[np.ndarray]:
        return [-math.log(10) * row for row in self._ranks(passages)]


def user(*texts: str) -> UserTexts:
    return UserTexts(examples=tuple(Passage(tokens=tuple(text.split())) for text in texts))


def told(pool: Mapping[UserTexts, bool]) -> tuple[Secret, ...]:
    """The people of a model of the adversary's own, and whether it learnt from each."""
    return tuple(
        Secret(id=f"{number:016x}", hint=hint, answer=Member(used=used))
        for number, (hint, used) in enumerate(pool.items())
    )


def verdicts(
    access: RankedTokensAccess,
    references: Sequence[RankedTokensAccess],
    people: Mapping[str, UserTexts],
    controls: Sequence[UserTexts] = (),
    max_queries: int | None = None,
    public: Sequence[str] = (),
    pools: Sequence[Mapping[UserTexts, bool]] = (),
    **options: object,
) -> dict[str, Verdict]:
    attack = CalibratedRatio(options)
    rng = np.random.default_rng(0)
    corpus = tuple(Text(tokens=(word,)) for word in public)
    learnt = attack.prepare(Background(corpus=corpus, controls=tuple(controls)), rng)
    pools = pools or [{} for _ in references]
    practice = [Practice(Grant([one]), told(pool)) for one, pool in zip(references, pools, strict=True)]
    known = Knowledge(learnt.values, learnt.arrays, tuple(practice))
    found = list(attack.guess(Grant([access], max_queries), people, known, rng))
    return {one.secret_id: one for one in found if isinstance(one, Verdict)}


HERE = Ranks({"a": 0, "b": 3, "c": 7})
THERE = Ranks({"a": 1, "b": 7, "c": 7})
ELSEWHERE = Ranks({"a": 3, "b": 15, "c": 7})


def test_the_statistic_is_the_mean_gap_of_logarithms() -> None:
    """Bits of a, b, c: here 0 2 3; references 1 3 3 and 2 4 3, so 1.5 3.5 3; gaps 1.5, 1.5, 0; mean 1."""
    found = verdicts(HERE, [THERE, ELSEWHERE], {"p": user("a b", "c")})
    assert found["p"].statistic == pytest.approx(1.0 * math.log(2))
    assert found["p"].p_value is None


def test_rare_words_can_count_more() -> None:
    """Weighted by 1.5, 3.5 and 3: (1.5 x 1.5 + 1.5 x 3.5) / 8."""
    found = verdicts(HERE, [THERE, ELSEWHERE], {"p": user("a b c")}, rare=1.0)
    assert found["p"].statistic == pytest.approx((1.5 * 1.5 + 1.5 * 3.5) / 8 * math.log(2))


def test_ranks_are_cut_where_the_models_output_is_in_both() -> None:
    """Three words shown: ranks of 3 and beyond are one, whatever references show; b and c have no gap."""
    found = verdicts(Ranks(HERE.told, limit=3), [THERE, ELSEWHERE], {"p": user("a b c")})
    assert found["p"].statistic == pytest.approx(1.5 * math.log(2) / 3)


def test_likelihoods_take_the_place_of_ranks_where_all_have_them() -> None:
    """Powers of ten: here 0 3 7, there 1 7 7; ranks on request, and where one model has no likelihoods."""
    here, there = Likelihoods(HERE.told), Likelihoods(THERE.told)
    people = {"p": user("a b c")}
    assert verdicts(here, [there], people)["p"].statistic == pytest.approx((1 + 4) / 3 * math.log(10))
    by_rank = (1 + 1) / 3 * math.log(2)
    assert verdicts(here, [there], people, evidence="ranks")["p"].statistic == pytest.approx(by_rank)
    assert verdicts(here, [THERE], people)["p"].statistic == pytest.approx(by_rank)


def test_other_pieces_compare_by_whole_texts() -> None:
    """A reference that reads every word twice has twice the sum: 2 x (1 + 3) - (0 + 2) bits, and 2 x 3 - 3."""
    found = verdicts(HERE, [Ranks(THERE.told, pieces=2)], {"p": user("a b", "c")})
    assert found["p"].statistic == pytest.approx((6 + 3) / 2 * math.log(2))


def test_a_p_value_is_the_share_of_controls_that_reach_it() -> None:
    """Of controls with gaps 1 (a), 1 (a) and 0 (c), and the person: a has 3 of 4, c has all."""
    found = verdicts(HERE, [THERE], {"p": user("a"), "q": user("c")}, [user("a"), user("a"), user("c")])
    assert (found["p"].p_value, found["q"].p_value) == (0.75, 1.0)


def test_the_rarest_text_is_asked_about_first_and_the_budget_ends_it() -> None:
    """One text a person; two questions serve two people, and none is left for whom is known to be out."""
    asked = verdicts(HERE, [THERE], {"p": user("c", "a")}, max_texts=1, selection="rarest")
    assert asked["p"].statistic in (0.0, pytest.approx(math.log(2)))
    few = verdicts(HERE, [THERE], {"p": user("a"), "q": user("b")}, [user("c")], max_queries=2)
    assert {name: one.p_value for name, one in few.items()} == {"p": None, "q": None}
    enough = verdicts(HERE, [THERE], {"p": user("a"), "q": user("b")}, [user("c")], max_queries=3)
    assert enough["p"].p_value == 0.5
    assert enough["q"].p_value is not None
    assert verdicts(HERE, [THERE], {"p": user("a")}, max_queries=0) == {}


def test_people_of_the_pool_draw_the_line_with_models_that_left_them_out() -> None:
    """Of `a`, gaps in bits are 1 by THERE and 2 by ELSEWHERE; who learnt from somebody is not asked about them.

    Nulls of the pool: `a` by ELSEWHERE alone (2), `b` by both (1.5), `c` by THERE alone (0), and nobody whom both
    learnt from. The person `a` is compared with both: 1.5, which two of three reach.
    """
    pools = (
        {user("a"): True, user("b"): False, user("c"): False, user("a a"): True},
        {user("a"): False, user("b"): False, user("c"): True, user("a a"): True},
    )
    people = {"p": user("a")}
    alone = verdicts(HERE, [THERE, ELSEWHERE], people, pools=pools)
    assert alone["p"].p_value is None  # by default the pool is not asked about
    with_pool = verdicts(HERE, [THERE, ELSEWHERE], people, pools=pools, calibrated_on="pool")
    assert with_pool["p"].p_value == pytest.approx((1 + 2) / 4)
    assert with_pool["p"].statistic == pytest.approx((1.5 - 2) * math.log(2))  # the highest of three draws the line
    both = verdicts(HERE, [THERE, ELSEWHERE], people, [user("c")], pools=pools, calibrated_on="pool")
    assert both["p"].p_value == pytest.approx((1 + 2) / 5)


def test_gaps_are_worth_what_shadows_tell() -> None:
    """The statistic is the sum over words of what gaps of this size are worth, learnt from the people of three models.

    Two models that halved three people so that none was left out by both teach nothing: there is no one to compare
    with who was not used.
    """
    first, second = Ranks({"a": 1, "b": 3, "c": 7}), Ranks({"a": 1, "b": 7, "c": 1})
    pools = (
        {user("a"): True, user("b"): True, user("c"): False},
        {user("a"): False, user("b"): False, user("c"): True},
    )
    with pytest.raises(InputError, match=r"raise adversary.background.shadows"):
        verdicts(HERE, [first, second], {"p": user("a b")}, pools=pools, weigh="learnt")
    third = Ranks({"a": 3, "b": 15, "c": 7})
    more = (*pools, {user("a"): False, user("b"): False, user("c"): False})
    found = verdicts(HERE, [first, second, third], {"p": user("a b")}, pools=more, weigh="learnt")
    bits = np.log2(1 + np.array([[1, 3, 7], [1, 7, 1], [3, 15, 7]]))  # (models, words)
    rows = [  # who, what the others expect of the word that did not see it, what it makes of it
        (True, bits[1:, 0].mean(), bits[0, 0]),
        (False, bits[2, 0], bits[1, 0]),
        (False, bits[1, 0], bits[2, 0]),
        (True, bits[1:, 1].mean(), bits[0, 1]),
        (False, bits[2, 1], bits[1, 1]),
        (False, bits[1, 1], bits[2, 1]),
        (False, bits[2, 2], bits[0, 2]),
        (True, bits[[0, 2], 2].mean(), bits[1, 2]),
        (False, bits[0, 2], bits[2, 2]),
    ]
    learnt = fit_evidence(LearntWords(u, np.array([e]) * math.log(2), np.array([f]) * math.log(2)) for u, e, f in rows)
    assert learnt is not None
    asked = np.log(2) * np.stack([bits[:, :2].mean(axis=0), np.log2([1, 4])])
    assert found["p"].statistic == pytest.approx(learnt.of(*asked).sum())
    with pytest.raises(InputError, match=r"different pieces"):
        verdicts(CutsOne(HERE.told), [first, second, third], {"p": user("c")}, pools=more, weigh="learnt")
    with pytest.raises(InputError, match=r"leave rare out"):
        CalibratedRatio({"weigh": "learnt", "rare": 1.0})


def test_who_is_known_to_be_out_comes_before_the_pool_where_the_budget_is_short() -> None:
    """Three questions: the person, the one known to be out (gap 0), and one of two of the pool (gap 1)."""
    pools = ({user("a"): False, user("a a"): False},)
    found = verdicts(HERE, [THERE], {"p": user("b")}, [user("c")], 3, pools=pools, calibrated_on="pool")
    assert found["p"].p_value == pytest.approx((1 + 1) / 3)


def test_without_references_there_is_nothing_to_compare_with() -> None:
    """And the error says what to set."""
    with pytest.raises(InputError, match=r"adversary.background.references or shadows"):
        verdicts(HERE, [], {"p": user("a")})


def test_people_known_to_be_out_draw_the_line() -> None:
    """Of 39 the second highest: 2 / 40 is 5 %. Nobody of them gets above zero but the one who stands higher."""
    told = {f"w{number}": number for number in range(40)}
    reference = Ranks(dict.fromkeys(told, 99))
    out = [user(f"w{number}") for number in range(1, 40)]
    asked = {"best": user("w0"), "second": user("w1"), "third": user("w2")}
    found = verdicts(Ranks(told), [reference], asked, out)
    assert found["second"].statistic == pytest.approx(math.log(3) - math.log(2))  # the line is w2's
    assert found["third"].statistic == pytest.approx(0)
    assert found["best"].statistic > found["second"].statistic > 0
    assert found["second"].p_value == pytest.approx(2 / 40)
    stricter = verdicts(Ranks(told), [reference], asked, out, false_alarms=0.025)
    assert stricter["second"].statistic == pytest.approx(0)


def test_the_most_surprising_text_is_asked_about() -> None:
    """References find "c c" least likely in all, 2 x log 8, whatever the model knows of it; "b" log 8."""
    reference, model = Ranks({"a": 0, "b": 7, "c": 7}), Ranks({"a": 0, "b": 0, "c": 7})
    person = user("b", "a a a", "c c")
    assert verdicts(model, [reference], {"p": person}, max_texts=1, selection="surprising")["p"].statistic == 0
    two = verdicts(model, [reference], {"p": person}, max_texts=2, selection="surprising")["p"]
    assert two.statistic == pytest.approx(math.log(8) / 3)  # of b, c, c only b is known better
    everything = verdicts(model, [reference], {"p": person}, selection="surprising")["p"]
    assert everything.statistic == pytest.approx(math.log(8) / 6)


def speakers(count: int, first: int = 0) -> list[UserTexts]:
    """People of different manners: everybody says a and b, each in another proportion."""
    return [user(*["a"] * (number % 7 + 1), *["b"] * (number % 5 + 1)) for number in range(first, first + count)]


def test_references_of_elsewhere_are_adjusted_by_words() -> None:
    """They find a strange, and who says it often looks like a member; of what is usual for a, nothing is left."""
    model, reference = Ranks({"a": 0, "b": 3, "c": 0}), Ranks({"a": 7, "b": 3, "c": 3})
    people = {"talks so": user("a", "a", "a", "b"), "talks otherwise": user("a", "b", "b", "b"), "used": user("c", "b")}
    plain = verdicts(model, [reference], people, speakers(20), adjust="none")
    assert plain["talks so"].statistic > plain["used"].statistic > plain["talks otherwise"].statistic
    found = verdicts(model, [reference], people, speakers(20), adjust="words")
    assert found["talks so"].statistic == pytest.approx(found["talks otherwise"].statistic, abs=0.05)
    assert found["used"].statistic > found["talks so"].statistic + 0.3
    assert found["used"].p_value == pytest.approx(1 / 21)


def test_adjusting_is_for_texts_of_elsewhere_and_for_enough_people() -> None:
    """By default where public texts are given; with few people known to be out, and with other pieces, not at all."""
    model, reference = Ranks({"a": 0, "b": 3}), Ranks({"a": 7, "b": 3})
    people = {"p": user("a", "a", "b")}
    plain = verdicts(model, [reference], people, speakers(20), adjust="none")
    words = verdicts(model, [reference], people, speakers(20), adjust="words")
    assert plain != words
    assert verdicts(model, [reference], people, speakers(20)) == plain
    assert verdicts(model, [reference], people, speakers(20), public=("a",)) == words
    twice = Ranks(reference.told, pieces=2)
    for references, controls in (([reference], speakers(19)), ([twice], speakers(20))):
        silent = [verdicts(model, references, people, controls, public=("a",), adjust=how) for how in ("none", "auto")]
        assert silent[0] == silent[1]
    with pytest.raises(InputError, match="19 people known to be out could be asked about, and 20 are needed"):
        verdicts(model, [reference], people, speakers(19), adjust="words")
    with pytest.raises(InputError, match="cut texts in different pieces"):
        verdicts(model, [twice], people, speakers(20), adjust="words")
    assert CalibratedRatio({"adjust": "words"}).fewest_controls == 20
    assert CalibratedRatio().fewest_controls == 0


def test_options_that_came_later_change_no_key_while_they_say_nothing() -> None:
    """What was kept before is found again; what is asked for is spelt."""
    assert not {"adjust", "calibrated_on", "weigh"} & set(CalibratedRatio().options.model_dump(mode="json"))
    assert CalibratedRatio({"calibrated_on": "pool"}).options.model_dump(mode="json")["calibrated_on"] == "pool"
    assert CalibratedRatio({"adjust": "words"}).options.model_dump(mode="json")["adjust"] == "words"


class CutsOne(Ranks):
    """Reads one word in two pieces."""

    def pieces(self, passages: Sequence[Passage]) -> list[tuple[str, ...]]:
        return [tuple(part for word in one.tokens for part in ([word] * (1 + (word == "c")))) for one in passages]


def test_people_are_compared_by_one_scale() -> None:
    """A model cuts one word of one person in two: then everybody is compared by whole texts, and nobody stands out.

    Of each word references are one step behind; a long text has the larger sum, in both arms.
    """
    model, reference = CutsOne({"a": 1, "b": 1, "c": 1}), Ranks({"a": 3, "b": 3, "c": 7})
    controls = [user("a b a b a b a b a b a b") for _ in range(20)]
    found = verdicts(model, [reference], {"p": user("a b a b c")}, controls)
    assert found["p"].p_value == 1.0
