"""Results about one person made by hand: caught, not shown, and every way of not being able to tell."""

from __future__ import annotations

from typing import Any

from tests.report.sample import figure, result

from divulge.outcomes import PersonFacts, TellingWord
from divulge.records import Check, SpecResult
from divulge.spec import AdversarySpec, AuditSpec, BackgroundSpec, DataSpec, PartSpec, SecretsSpec, TargetSpec

NAME, WORD = "Jane Doe", "<b>swordfish</b>"


def about_person(
    p_value: float | None = 0.01,
    *,
    known_out: int = 99,
    blind: tuple[float, int] | None = (0.4, 40),
    accused: tuple[float, int] = (0.05, 40),
    broken: bool = False,
    **secrets: Any,
) -> SpecResult:
    """A result about one person."""
    spec = AuditSpec(
        target=TargetSpec(kind="own-generator"),
        data=DataSpec(path="texts.jsonl"),
        secrets=SecretsSpec(kind="users", person="0123456789abcdef", held_out="test", controls=40, **secrets),
        adversary=AdversarySpec(background=BackgroundSpec(controls=known_out, shadows=1)),
        attack=PartSpec(name="calibrated-ratio"),
    )
    figures = [
        figure("p_value", p_value, None, None, known_out),
        figure("statistic", 2.5, None, None, 1),
        figure("false_positive_rate", accused[0], 0.01, 0.5, accused[1], "control", alpha=0.05),
    ]
    if blind is not None:
        figures.append(figure("blind_p_value", blind[0], None, None, blind[1], "baseline"))
    checks = (Check(access="RankedTokensAccess", name="the greedy token ranks first", passed=not broken),)
    more = {"spec": spec.model_dump(mode="json"), "spec_hash": spec.hash, "outcomes": ()}
    queries = {} if broken else {"RankedTokensAccess": 1200}
    return result(*([] if broken else figures), handshake=checks, queries=queries, **more)


def facts(words: int = 900, **more: Any) -> PersonFacts:
    """What is known of the person."""
    telling = (
        TellingWord(text=12, word=3, letters=8, expected=3401.0, found=14.0, by="rank"),
        TellingWord(text=2, word=1, letters=1, expected=250.0, found=1.25, by="chance"),
    )
    told: dict[str, Any] = {"texts": 30, "usual_words": (400, 850, 1600), "telling": telling}
    return PersonFacts(person="0123456789abcdef", words=words, **{**told, **more})
