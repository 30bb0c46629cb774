"""Who of the pool was left out by which models."""

from __future__ import annotations

from divulge.adversary import Practice
from divulge.attacks.pool_people import PoolPerson, pool_people
from divulge.grants import Grant
from divulge.records import Gaps, Member, Passage, Secret, Tokens, UserTexts


def _person(word: str) -> UserTexts:
    return UserTexts(examples=(Passage(tokens=(word,)),))


def _model(used: tuple[str, ...], left_out: tuple[str, ...]) -> Practice:
    named = [(word, True) for word in used] + [(word, False) for word in left_out]
    secrets = tuple(
        Secret(id=f"{number:016x}", hint=_person(word), answer=Member(used=learnt))
        for number, (word, learnt) in enumerate(named)
    )
    return Practice(Grant([]), secrets)


def test_everybody_is_named_once_with_the_models_that_left_them_out() -> None:
    """Whoever all models learnt from is nobody's null."""
    found = pool_people([_model(("a", "d"), ("b", "c")), _model(("c", "d"), ("a", "b"))])
    assert found == [PoolPerson(_person("a"), (1,)), PoolPerson(_person("b"), (0, 1)), PoolPerson(_person("c"), (0,))]


def test_models_without_people_have_nobody() -> None:
    """Finished references come without secrets, and canaries are no people."""
    gaps = Gaps(tokens=("a", None), candidates=(("b", "c"),))
    canary = Secret(id="0" * 16, hint=gaps, answer=Tokens(tokens=("b",)))
    assert pool_people([Practice(Grant([])), Practice(Grant([]), (canary,))]) == []
