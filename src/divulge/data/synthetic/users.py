"""Persons with habits of their own: favourite matters, words, turns of phrase, friends and places."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field

from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.synthetic.clauses import CLAUSES, CONTENT, MANNERS
from divulge.data.synthetic.drawing import habit
from divulge.data.synthetic.grammar import Grammar
from divulge.data.synthetic.lexicon import FIELDS, FIRST_NAMES, PLACES, SURNAMES
from divulge.records import FloatArray, Record, Text
from divulge.seeds import generator

__all__ = ["SyntheticUsers"]

RULES = {
    **CLAUSES,
    **CONTENT,
    **MANNERS,
    "person": (*FIRST_NAMES, *SURNAMES),
    "place": PLACES,
    "text": (
        "<clause> <link> <clause>",
        "<opener> <clause>",
        "<opener> <clause> <link> <clause>",
        "<clause> <closer>",
        "<opener> <clause> <closer>",
        "<clause> <link> <clause> <closer>",
    ),
    "question": (
        "what about the <noun> [and the <noun>]",
        "did you see <object> [<where>]",
        "how was <object> <when>",
        "who <verb> <object>",
        "is it true that <clause>",
        "do you remember <person> <where>",
        "why was the <noun> so <adjective>",
        "have you heard of <person> and the <noun>",
    ),
}
# How evenly a person uses the alternatives of a rule: the smaller, the fewer favourites.
EVENNESS: Mapping[str, float] = {
    "text": 1.0,
    "clause": 0.5,
    "subject": 0.5,
    "object": 0.7,
    "where": 0.7,
    "when": 0.5,
    "relative": 0.3,
    "degree": 0.4,
    "manner": 0.4,
    "thought": 0.4,
    "link": 0.4,
    "opener": 0.15,
    "closer": 0.15,
    "person": 0.03,
    "place": 0.03,
}
WORDS = 0.4  # the same, of the nouns, verbs and adjectives
MATTERS = 0.25  # the same, of the fields of meaning


class SyntheticUsers(DataSet):
    """Texts of persons whose habits are all drawn from one distribution, so that persons are exchangeable."""

    name = "synthetic-users"
    summary = "Made texts of persons with favourite words, phrases and topics; optionally as answers to a question."
    fields = ("user",)
    splits = ("train", "test")
    source = "Made by a grammar of Divulge's own."
    licence = "Apache-2.0, as Divulge."

    class Options(Record):
        """How many persons and texts of each, from which seed; with `dialog`, what each text answers as its context.

        The last `held_out` persons are in the split "test", all others in "train".
        """

        users: Annotated[int, Field(ge=1, le=100_000)] = 80
        texts: Annotated[int, Field(ge=1, le=10_000)] = 25
        dialog: bool = False
        seed: int = 0
        held_out: Annotated[int, Field(ge=0, le=100_000)] = 0

    def load(self, root: Path | None = None) -> Corpus:
        """Makes all texts of one person after the other; each person has a generator of its own."""
        del root
        grammar = Grammar(RULES)
        width = len(str(self.options.users - 1))
        return Corpus(
            tuple(
                text
                for number in range(self.options.users)
                for text in self._texts_of(grammar, number, f"user-{number:0{width}}")
            ),
            self.name,
        )

    def _texts_of(self, grammar: Grammar, number: int, user: str) -> list[Text]:
        rng = generator(self.options.seed, self.name, number)
        habits = {rule: habit(grammar.weights[rule], evenness, rng) for rule, evenness in EVENNESS.items()}
        matters = rng.dirichlet(np.full(len(FIELDS), MATTERS))
        for kind in ("noun", "verb", "adjective"):
            habits[kind] = habit(_shares(kind, matters), WORDS, rng)
        asking = generator(self.options.seed, self.name, number, "questions")
        return [
            Text(
                tokens=grammar.expand("text", rng, habits)[0],
                user=user,
                split="test" if number >= self.options.users - self.options.held_out else "train",
                # Asked by somebody else, so without this person's habits.
                context=grammar.expand("question", asking)[0] if self.options.dialog else (),
            )
            for _ in range(self.options.texts)
        ]


def _shares(kind: str, matters: FloatArray) -> FloatArray:
    sizes = [len(getattr(field, f"{kind}s")) for field in FIELDS.values()]
    return np.asarray(np.repeat(matters / np.array(sizes), sizes), dtype=np.float64)
