"""What the evidence about one person rests on, read from a plan and the store: sizes, telling words, no text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median_low

from divulge.auditing.measuring import scored
from divulge.auditing.planning import Plan, Planned, plan
from divulge.canonical import canonical_json
from divulge.data.cases import known_out
from divulge.data.one_person import person_named
from divulge.errors import ExecutionError, InputError
from divulge.outcomes import PersonFacts, TellingWord
from divulge.records import Hint, Member, RunResults, Telling, UserTexts, Verdict
from divulge.spec import AuditSpec
from divulge.store import MissingArtefactError, Store

__all__ = ["PersonAsked", "people_asked"]


@dataclass(frozen=True, repr=False)
class PersonAsked:
    """One person of a run: what may be shown, and what is shown on request alone."""

    facts: PersonFacts
    name: str
    words: tuple[str, ...]  # one for each telling word


def people_asked(results: RunResults, store: Store) -> Mapping[str, PersonAsked]:
    """Makes the person of each result that is about one again, and reads what the attack said; by spec hash."""
    specs = [AuditSpec.model_validate_json(canonical_json(result.spec)) for result in results.results]
    about = [spec for spec in specs if spec.secrets.person is not None]
    if not about:
        return {}
    try:
        planned = plan(about)
        return {one.spec.hash: _asked(one, planned, store) for one in planned.planned}
    except MissingArtefactError:
        raise ExecutionError("what the attack said is not in the store any more. Run the audit again") from None
    except InputError as error:
        raise ExecutionError(f"the person of this run cannot be made again: {error}") from None


def _asked(one: Planned, planned: Plan, store: Store) -> PersonAsked:
    resolved, spec = one.resolved, one.spec
    secret = resolved.case.secrets[0]
    assert isinstance(secret.hint, UserTexts)
    assert isinstance(secret.answer, Member)
    kept = store.get(planned.graph[one.measure].needs["attack"])
    said = scored((secret,), kept, "attack").guesses.get(secret.id)
    telling = said.telling if isinstance(said, Verdict) else ()
    words = tuple(secret.hint.examples[each.text].tokens[each.word] for each in telling)
    known = known_out(spec.secrets, resolved.corpus, spec.seed, spec.adversary.background.controls)
    sizes = sorted(_words(hint) for hint in (*known, *(control.hint for control in resolved.case.controls)))
    facts = PersonFacts(
        person=secret.id,
        texts=len(secret.hint.examples),
        words=_words(secret.hint),
        usual_words=(sizes[0], median_low(sizes), sizes[-1]),
        used=secret.answer.used if secret.answer.known else None,
        control_queries=kept.values.get("control queries", {}),
        telling=tuple(_redacted(each, word) for each, word in zip(telling, words, strict=True)),
    )
    return PersonAsked(facts, person_named(spec.secrets, resolved.corpus, spec.seed), words)


def _redacted(one: Telling, word: str) -> TellingWord:
    return TellingWord(
        text=one.text + 1, word=one.word + 1, letters=len(word), expected=one.expected, found=one.found, by=one.by
    )


def _words(hint: Hint) -> int:
    return sum(len(passage.tokens) for passage in hint.examples) if isinstance(hint, UserTexts) else 0
