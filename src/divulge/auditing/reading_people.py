"""People whom a model could not be asked about: it knows none of their words, or the budget does not reach them.

And people who do not compare with those asked about.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from divulge.access import RankedTokensAccess
from divulge.attacks.base import Attack
from divulge.data.cases import Case
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Hint, Passage, Secret, UserTexts
from divulge.spec import BackgroundSpec, SecretsSpec
from divulge.targets.base import Target

__all__ = ["must_be_read", "not_comparable", "strange_people", "unaffordable_people"]

FEW = 8  # texts that are read once more in other words, to see whether the model knows any of theirs
NAMED = 3  # of people, by opaque id
NONSENSE = "qzxjvkq"


def strange_people(target: Target, case: Case, known_out: Sequence[Hint]) -> list[str]:
    """People none of whose words the model will know, where its words are told before it is trained."""
    words = target.told_words
    if words is None:
        return []
    asked = [one for one in _asked(case) if not _knows(words, one.hint)]
    out = sum(isinstance(hint, UserTexts) and not _knows(words, hint) for hint in known_out)
    found = [_refusal(case, asked, len(words))] if asked else []
    if out:
        who = f"adversary.background.controls: {out} of {len(known_out)} people known to be out"
        found.append(f"{who} have no word in the vocabulary of the model ({len(words)} words): take others")
    return found


def unaffordable_people(limit: int | None, attack: Attack | None, case: Case, known_out: Sequence[Hint]) -> list[str]:
    """Why a budget leaves somebody without an answer: who is not asked about would look like somebody not used."""
    asked = len(_asked(case))
    if limit is None or attack is None or not attack.requires or not asked or case.of_person:
        return []
    needed = asked + (len(known_out) if attack.asks_about_controls else 0)
    if limit >= needed:
        return []
    said = f"adversary.max_queries is {limit}, and {needed} people are asked about, each with one text at least"
    return [f"{said}: raise it, or lower secrets.count, secrets.controls and adversary.background.controls"]


def must_be_read(grant: Grant, case: Case) -> None:
    """Refuses people none of whose words the opened model knows.

    A model may tell its vocabulary in other tokens than it reads. So it is also tried whether any answer changes when
    every word is replaced by one that nobody knows.
    """
    access = grant.get(RankedTokensAccess)
    if access is None:
        return
    known = frozenset(access.vocabulary)
    strange = []
    for one in _asked(case):
        assert isinstance(one.hint, UserTexts)
        if any(piece in known for pieces in access.pieces(one.hint.examples) for piece in pieces):
            continue
        some = one.hint.examples[:FEW]
        other = [Passage(context=text.context, tokens=tuple(NONSENSE for _ in text.tokens)) for text in some]
        pairs = zip(access.ranks(some), access.ranks(other), strict=True)  # the owner's question, in no budget
        if not all(np.array_equal(mine, theirs) for mine, theirs in pairs):
            return  # it reads other tokens than it tells: nobody can be refused for these
        strange.append(one)
    if strange:
        raise InputError(_refusal(case, strange, len(known)))


def _asked(case: Case) -> list[Secret]:
    return [one for one in case.secrets if isinstance(one.hint, UserTexts)]


def _knows(words: Collection[str], hint: Hint) -> bool:
    return isinstance(hint, UserTexts) and any(token in words for text in hint.examples for token in text.tokens)


def _refusal(case: Case, strange: Sequence[Secret], size: int) -> str:
    hint = strange[0].hint
    assert isinstance(hint, UserTexts)
    ids = ", ".join([one.id for one in strange[:NAMED]] + ["…"] * (len(strange) > NAMED))
    who = f"secrets.person: none of the words of this person's {len(hint.examples)} texts is"
    if not case.of_person:
        who = f"secrets: of {len(strange)} of {len(case.secrets)} people ({ids}) no word is"
    return (
        f"{who} in the vocabulary of the model ({size} words), so that it cannot be asked about them. Were the texts "
        "cut into words, and spelt in lower case or not, as those that the model was trained on?"
    )


def not_comparable(secrets: SecretsSpec, behind: BackgroundSpec, attack: Attack) -> str | None:
    """Why an attack cannot lean on the people of the adversary's own models; None where it can, or does not."""
    if not (attack.asks_about_pool or attack.learns_from_pool):
        return None
    found = (
        (behind.corpus, "these learn from other texts, of nobody comparable: leave adversary.background.corpus out"),
        (secrets.obfuscation, "texts asked about are rewritten, and theirs are not: leave secrets.obfuscation out"),
        (
            secrets.person,
            "a sheet about one person tells of adversary.background.controls alone: leave the options out",
        ),
    )
    why = next((said for given, said in found if given is not None), None)
    leans = f"attack {attack.name!r}, with these options, leans on the people of shadow models"
    return None if why is None else f"{leans}, but {why}"
