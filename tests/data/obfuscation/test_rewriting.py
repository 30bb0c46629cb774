"""Tests of divulge.data.obfuscation.rewriting."""

from __future__ import annotations

import pytest

from divulge.data.corpus import Corpus
from divulge.data.obfuscation.rewriting import OBFUSCATORS, obfuscated, obfuscator_named
from divulge.errors import InputError
from divulge.records import Member, Passage, Secret, Text, UserTexts

SOURCE = ("what", "they", "don't", "say")
SECRETS = (
    Secret(
        id="1",
        hint=UserTexts(
            examples=(
                Passage(context=SOURCE, tokens=("i", "don't", "know")),
                Passage(tokens=("it", "is", "late")),
            )
        ),
        answer=Member(used=True),
    ),
    Secret(id="2", hint=UserTexts(examples=(Passage(tokens=("we", "will", "see")),)), answer=Member(used=False)),
)
CORPUS = Corpus((Text(("i", "don't", "know"), user="ada"), Text(("we", "will", "see"), user="ben")))


class Answers:
    """An obfuscator that turns every text around, or gives it back empty, and counts how often it is asked."""

    asked = 0

    def __init__(self, language: str) -> None:
        self.language = language

    def version(self) -> str:
        """No matter."""
        return "1"

    def rewrite(self, texts, corpus, seed):
        """Backwards; what begins with "we" becomes nothing."""
        assert corpus is CORPUS
        del seed
        type(self).asked += 1
        return [() if text[0] == "we" else text[::-1] for text in texts]


@pytest.mark.parametrize(
    "name", ["", "word", "words-", "words-es", "apertium", "apertium-", "apertium-EN", "apertium-e s", "-es", "google"]
)
def test_an_unknown_name_is_told_with_those_allowed(name):
    """Whatever is wrong with it."""
    with pytest.raises(InputError, match=r"secrets\.obfuscation.*Allowed: 'words', or 'apertium-LANG'"):
        obfuscator_named(name)


def test_names_lead_to_obfuscators():
    """A language follows the hyphen; whether it can be had is not asked yet."""
    assert type(obfuscator_named("words")) is OBFUSCATORS["words"]
    assert [obfuscator_named(f"apertium-{code}").language for code in ("es", "epo")] == ["es", "epo"]


def test_texts_are_rewritten_and_nothing_else(monkeypatch):
    """Ids, answers, contexts, the number and the order of texts stay; what comes back empty keeps its words."""
    monkeypatch.setitem(OBFUSCATORS, "apertium", Answers)
    found = obfuscated(SECRETS, "apertium-qa", CORPUS, 0)
    assert [secret.hint.examples for secret in found] == [
        (
            Passage(context=SOURCE, tokens=("know", "don't", "i")),
            Passage(tokens=("late", "is", "it")),
        ),
        (Passage(tokens=("we", "will", "see")),),
    ]
    assert [(secret.id, secret.answer) for secret in found] == [(secret.id, secret.answer) for secret in SECRETS]


def test_a_case_that_is_made_again_is_not_rewritten_again(monkeypatch):
    """All texts of a case are rewritten in one call, once in a process; other texts or another seed are new."""
    monkeypatch.setitem(OBFUSCATORS, "apertium", Answers)
    monkeypatch.setattr(Answers, "asked", 0)
    first = obfuscated(SECRETS, "apertium-qb", CORPUS, 0)
    assert obfuscated(SECRETS, "apertium-qb", CORPUS, 0) == first
    assert Answers.asked == 1
    obfuscated(SECRETS[:1], "apertium-qb", CORPUS, 0)
    obfuscated(SECRETS, "apertium-qb", CORPUS, 1)
    assert Answers.asked == 3


def test_without_a_name_texts_are_what_people_wrote():
    """Nothing is done by default."""
    assert obfuscated(SECRETS, None, CORPUS, 0) == SECRETS
