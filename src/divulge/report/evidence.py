"""The evidence about one person as one sheet: the question, how it was asked, what came out, what would change it.

As JSON by a published schema, and as one page for a browser or a printer, without script and network. Neither holds a
name or a word of the person's texts, unless the page is asked to show them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

import jinja2
from pydantic import Field

from divulge.metrics.one_person import (
    BLIND_P_VALUE,
    FALSE_POSITIVES,
    P_VALUE,
    STATISTIC,
    Decision,
    smallest_p_value,
    unlike_in,
)
from divulge.outcomes import PersonFacts, TellingWord
from divulge.records import FrozenMapping, Measurement, Record, SpecResult
from divulge.report.evidence_words import (
    answer_words,
    comparable_words,
    does_not_prove,
    telling_sentence,
    would_change,
)
from divulge.report.one_person import person_decided, person_figure, person_reasons
from divulge.report.page_templates import page_templates
from divulge.report.wording import adversary_words

__all__ = ["Evidence", "Rate", "as_html", "as_json", "evidence_of"]

QUESTION = "Were the texts of this person used to train this model?"


class Rate(Record):
    """How many of the people known to be out who were tried are accused, with its 95 % interval."""

    value: float
    low: float | None
    high: float | None
    n: int


class Evidence(Record):
    """All that the sheet says; evidence.json is this and nothing else."""

    schema_version: Literal[1] = 1
    question: str
    decision: Decision
    answer: str
    reasons: tuple[str, ...]
    person: str
    texts: int
    words: int
    usual_words: tuple[int, int, int]
    used: bool | None
    model: str
    data: str
    data_fingerprint: str | None
    access: tuple[str, ...]
    access_words: str
    sound: bool | None
    attack: str
    queries: FrozenMapping
    control_queries: FrozenMapping = Field(default_factory=dict)
    statistic: float | None
    p_value: float | None
    known_out: int
    smallest_p_value: float
    alpha: float
    false_positive_rate: Rate | None
    blind_p_value: float | None
    blind_controls: int
    differs_in: tuple[str, ...] = ()
    telling: tuple[TellingWord, ...] = ()
    would_change: tuple[str, ...]
    does_not_prove: tuple[str, ...]
    spec_hash: str
    versions: FrozenMapping = Field(default_factory=dict)


def evidence_of(result: SpecResult, facts: PersonFacts) -> Evidence:
    """Puts together what a result and its person tell."""
    spec: Any = result.spec
    found = person_decided(result)
    p_value, blind = person_figure(result, P_VALUE), person_figure(result, BLIND_P_VALUE)
    known = spec["adversary"]["background"]["controls"]
    alpha = float(spec["secrets"].get("alpha", 0.05))
    reasons = tuple(person_reasons(result, found))
    levels = tuple(sorted(result.queries))
    held = [check.passed for check in result.handshake]
    value = p_value.value if p_value is not None else None
    return Evidence(
        question=QUESTION,
        decision=found.decision,
        answer=answer_words(found.decision, value, known, alpha),
        reasons=reasons,
        person=facts.person,
        texts=facts.texts,
        words=facts.words,
        usual_words=facts.usual_words,
        used=facts.used,
        model=_model(str(spec["target"]["kind"])),
        data=str(spec["data"]["name"] or spec["data"]["path"]),
        data_fingerprint=result.data_fingerprint,
        access=levels,
        access_words=adversary_words(levels),
        sound=False if False in held else (True if True in held else None),
        attack=str(spec["attack"]["name"]),
        queries=result.queries,
        control_queries=facts.control_queries,
        statistic=_value(person_figure(result, STATISTIC)),
        p_value=value,
        known_out=known,
        smallest_p_value=smallest_p_value(known),
        alpha=alpha,
        false_positive_rate=_rate(person_figure(result, FALSE_POSITIVES)),
        blind_p_value=_value(blind),
        blind_controls=blind.n if blind is not None else 0,
        differs_in=unlike_in(result.measurements, alpha),
        telling=facts.telling,
        would_change=tuple(would_change(found, facts, known, alpha)),
        does_not_prove=tuple(does_not_prove(found.decision)),
        spec_hash=result.spec_hash,
        versions=result.versions,
    )


def as_json(evidence: Evidence) -> str:
    """Writes evidence.json; no name and no word of the person's texts, whatever is shown elsewhere."""
    return evidence.model_dump_json(indent=1) + "\n"


def as_html(evidence: Evidence, name: str | None = None, words: Sequence[str] = ()) -> str:
    """Writes the sheet; with `name` and one of `words` for each telling word, in plain words."""
    lines = [
        telling_sentence(one, words[place] if place < len(words) else None)
        for place, one in enumerate(evidence.telling)
    ]
    asked, tried = (sum(map(int, map(str, one.values()))) for one in (evidence.queries, evidence.control_queries))
    page = _templates().get_template("evidence.html")
    judged = evidence.blind_p_value is not None
    comparable = comparable_words(evidence.words, evidence.usual_words, evidence.differs_in if judged else None)
    return (
        page.render(one=evidence, name=name, telling=lines, asked=asked, tried=tried, comparable=comparable).rstrip()
        + "\n"
    )


def _model(kind: str) -> str:
    return f"{kind} (a stand-in, no real model)" if kind.startswith("fake-") else kind


def _value(one: Measurement | None) -> float | None:
    return one.value if one is not None else None


def _rate(one: Measurement | None) -> Rate | None:
    return (
        Rate(value=one.value, low=one.low, high=one.high, n=one.n)
        if one is not None and one.value is not None
        else None
    )


def _percent(value: float) -> str:
    return f"{100 * value:.2g}\N{NO-BREAK SPACE}%"


@cache
def _templates() -> jinja2.Environment:
    made = page_templates("evidence.css")
    made.filters["percent"] = _percent
    made.filters["thousands"] = "{:,}".format
    return made
