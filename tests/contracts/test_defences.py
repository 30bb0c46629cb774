"""What every registered defence must do; a new one is found here by its line in `DEFENCES`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.small_worlds import POOLED, TARGET_CLASSES, Trained, alike, asked, owner_sample, trained

from divulge.access import Access
from divulge.auditing.fitting import granted_levels
from divulge.data.corpus import Corpus
from divulge.defences import DEFENCES
from divulge.defences.base import Defence
from divulge.errors import InputError
from divulge.grants import Grant, level_of
from divulge.parts import load
from divulge.probes import PROBES
from divulge.probes.base import Probe
from divulge.records import Artefact
from divulge.store import Store

DEFENCE_CLASSES = {name: load(DEFENCES, name, Defence, "defence") for name in DEFENCES}
NAMES = sorted(DEFENCES)
WRAPPING = [name for name in NAMES if DEFENCE_CLASSES[name].levels]
OF_PEOPLE = ("dp-fedavg",)  # defences of whole users: every text needs one, and words need to be given
PROBE_CLASSES = {name: load(PROBES, name, Probe, "probe") for name in PROBES}


def fits(defence: type[Defence], target: str) -> bool:
    """Whether a target has all that the defence acts on."""
    kind = TARGET_CLASSES[target]
    wrapped = not defence.levels or any(issubclass(given, level) for given in kind.grants for level in defence.levels)
    if defence.pools_rows and target in POOLED:
        return False
    return wrapped and set(defence.recipe_fields) <= set(kind.Options.model_fields)


CASES = [(name, target) for name in NAMES for target in sorted(TARGET_CLASSES) if fits(DEFENCE_CLASSES[name], target)]
WRAPPED_CASES = [(name, target) for name, target in CASES if name in WRAPPING]


def made(name: str, options: Mapping[str, Any] | None = None) -> Defence:
    return DEFENCE_CLASSES[name](DEFENCE_CLASSES[name].trial if options is None else options)


def fitted(defence: Defence, here: Trained, seed: int = 0) -> Artefact:
    return defence.fit(here.corpus, here.grant(), np.random.default_rng(seed))


def wrapped(defence: Defence, here: Trained, artefact: Artefact | None = None) -> Grant:
    """What the target grants behind the defence."""
    known = fitted(defence, here) if artefact is None else artefact
    return here.grant().changed(lambda access: defence.on_access(access, known))


def with_copies(corpus: Corpus) -> Corpus:
    """The corpus with its first texts three times, as a defence of the data might find it."""
    return replace(corpus, texts=(*corpus.texts, *corpus.texts[:9], *corpus.texts[:9]))


@pytest.mark.parametrize("name", NAMES)
def test_it_fills_the_form(name: str) -> None:
    """A name, a summary, and a docstring that tells paper, needs, idea and cost, each in words."""
    found = DEFENCE_CLASSES[name]
    assert found.name == name
    assert found.summary
    said = inspect.getdoc(found) or ""
    first, _, rest = said.partition("\n")
    assert first.endswith(".")
    parts = re.findall(r"^(Paper|Needs|Idea|Cost): (\S.*)$", rest, flags=re.MULTILINE)
    assert [part for part, _ in parts] == ["Paper", "Needs", "Idea", "Cost"]


@pytest.mark.parametrize("name", NAMES)
def test_it_acts_somewhere(name: str) -> None:
    """On the corpus, on the recipe or on accesses, and some target gives it something to act on."""
    found = DEFENCE_CLASSES[name]
    assert found.changes_corpus or found.recipe_fields or found.levels
    assert name in {case for case, _ in CASES}
    assert found().acts_on_access == bool(found.levels)


@pytest.mark.parametrize("name", NAMES)
def test_unknown_options_are_refused(name: str) -> None:
    """A slip in an option's name is an error, not a defence of default strength."""
    with pytest.raises(InputError, match="unknown key 'strenght'"):
        made(name, {"strenght": 0.1})


@pytest.mark.parametrize(("name", "target"), CASES)
def test_zero_strength_changes_nothing(name: str, target: str) -> None:
    """With its harmless options, texts, recipe, levels and answers are what they were, in all three places."""
    harmless = DEFENCE_CLASSES[name].harmless
    assert harmless is not None, "say which options change nothing"
    defence, here = made(name, harmless), trained(target)
    corpus, recipe = with_copies(here.corpus), here.target.options.model_dump(mode="json")
    assert defence.on_corpus(corpus).fingerprint == corpus.fingerprint
    assert defence.on_recipe(recipe) == here.target.options.model_dump(mode="json")
    grant = wrapped(defence, here)
    assert grant.levels == here.grant().levels
    assert alike(asked(grant, here.corpus), asked(here.grant(), here.corpus))


@pytest.mark.parametrize(("name", "target"), CASES)
def test_it_changes_what_it_says_and_nothing_else(name: str, target: str) -> None:
    """At default strength each place that it names is changed, and each other one is left alone."""
    defence, here = made(name), trained(target)
    corpus, recipe = with_copies(here.corpus), here.target.options.model_dump(mode="json")
    if not defence.changes_corpus:
        assert defence.on_corpus(corpus).fingerprint == corpus.fingerprint
    left = defence.on_recipe(recipe)
    assert {field for field in {*left, *recipe} if left.get(field) != recipe.get(field)} == set(defence.recipe_fields)
    for access in here.grant().accesses:
        concerned = any(isinstance(access, level) for level in defence.levels)
        before, after = Grant([access]), Grant([defence.on_access(access, fitted(defence, here))])
        unchanged = before.levels == after.levels and alike(asked(before, here.corpus), asked(after, here.corpus))
        assert unchanged != concerned


@pytest.mark.parametrize("name", [name for name in NAMES if DEFENCE_CLASSES[name].changes_corpus])
def test_a_defence_of_the_corpus_changes_some_corpus(name: str) -> None:
    """Not every corpus has users or copies; one that it has something to do on must be among the stand-ins'."""
    found = [with_copies(trained(target).corpus) for case, target in CASES if case == name]
    assert any(made(name).on_corpus(corpus).fingerprint != corpus.fingerprint for corpus in found)


@pytest.mark.parametrize(("name", "target"), CASES)
def test_what_it_changes_can_still_be_trained(name: str, target: str) -> None:
    """The corpus and the recipe that it leaves make a model that can be asked; a finished one is not trained."""
    defence, here = made(name), trained(target)
    if not here.target.learns and (defence.changes_corpus or defence.recipe_fields):
        return
    recipe, corpus = here.target.options.model_dump(mode="json"), defence.on_corpus(here.corpus)
    if name in OF_PEOPLE:
        recipe["words"] = sorted({word for text in corpus for word in text.tokens})
        corpus = replace(corpus, texts=tuple(replace(one, user=f"u{n % 5}") for n, one in enumerate(corpus)))
    again = type(here.target)(defence.on_recipe(recipe))
    artefact = again.train(corpus, np.random.default_rng(0))
    assert asked(again.open(artefact), here.corpus)


@pytest.mark.parametrize(("name", "target"), WRAPPED_CASES)
def test_it_never_grants_more(name: str, target: str) -> None:
    """Each access is at most as strong as before, and just what was planned with before anything ran."""
    defence, here = made(name), trained(target)
    before, after = here.grant(), wrapped(defence, here)
    assert all(issubclass(given, left) for given, left in zip(before.levels, after.levels, strict=True))
    assert after.levels == granted_levels(here.target, [defence])


@pytest.mark.parametrize(("name", "target"), WRAPPED_CASES)
def test_the_same_question_gets_the_same_answer(name: str, target: str) -> None:
    """Asked again, in another batch, or of a defence wrapped anew: noise cannot be averaged away by asking."""
    defence, here = made(name), trained(target)
    grant = wrapped(defence, here)
    first = asked(grant, here.corpus)
    assert alike(first, asked(grant, here.corpus))
    assert alike(first, asked(wrapped(made(name), here), here.corpus))
    alone = asked(grant, replace(here.corpus, texts=here.corpus.texts[:1]))
    # A network sums a smaller batch in another order; noise that was drawn anew would show far beyond that.
    shown = {question: answers[: len(alone[question])] for question, answers in first.items()}
    assert alike(alone, shown, rounding=1e-5)


@pytest.mark.parametrize(
    ("name", "target"), [case for case in WRAPPED_CASES if "fresh" in DEFENCE_CLASSES[case[0]].Options.model_fields]
)
def test_fresh_noise_differs(name: str, target: str) -> None:
    """Where an option says that each query draws anew, the same question gets another answer."""
    here = trained(target)
    grant = wrapped(made(name, {"fresh": True}), here)
    first, again = asked(grant, here.corpus), asked(grant, here.corpus)
    assert first.keys() == again.keys()
    assert not alike(first, again)


@pytest.mark.parametrize(("name", "target"), WRAPPED_CASES)
def test_questions_are_counted_once(name: str, target: str) -> None:
    """Behind a defence a question costs what it costs without."""
    here = trained(target)
    plain, defended = here.grant(), wrapped(made(name), here)
    asked(plain, here.corpus)
    asked(defended, here.corpus)
    assert defended.meter.asked.items() <= plain.meter.asked.items()
    assert defended.meter.total > 0


@pytest.mark.parametrize(("name", "target"), WRAPPED_CASES)
def test_what_is_fitted_can_be_kept(name: str, target: str, tmp_path: Path) -> None:
    """The same generator fits the same artefact, which survives the store; a secret one depends on the draw."""
    defence, here, key = made(name), trained(target), "0" * 64
    first = fitted(defence, here)
    Store(tmp_path).put(key, first, {})
    expected = asked(wrapped(defence, here, first), here.corpus)
    assert alike(asked(wrapped(defence, here, Store(tmp_path).get(key)), here.corpus), expected)
    assert alike(asked(wrapped(defence, here, fitted(defence, here)), here.corpus), expected)
    if defence.keeps_secret:
        assert not alike(asked(wrapped(defence, here, fitted(defence, here, 1)), here.corpus), expected)


@pytest.mark.parametrize(("name", "target"), WRAPPED_CASES)
def test_utility_can_still_be_measured(name: str, target: str) -> None:
    """Honest users see the model through the defence, and every probe that it serves has a figure for that.

    Of tokens nothing can be told where rows are pooled.
    """
    defence, here = made(name), trained(target)
    grant = wrapped(defence, here)
    fitting = [probe for probe in PROBE_CLASSES.values() if all(level in grant for level in probe.requires)]
    assert fitting or target == "vectors"  # of rows without their encoder there is no use to be measured
    for probe in fitting:
        for found in probe().measure(grant, here.corpus, np.random.default_rng(0)):
            assert (found.value is None) == (probe.of_tokens and (defence.pools_rows or target in POOLED))


@pytest.mark.parametrize(("name", "target"), WRAPPED_CASES)
def test_it_does_not_look_like_a_broken_adapter(name: str, target: str) -> None:
    """The handshake through the defence has no failed check; rows behind noise need not match."""
    defence, here = made(name), trained(target)
    grant = wrapped(defence, here)
    sample = owner_sample(here.corpus, grant, blurred_rows=defence.blurs_rows)
    failed = [check for access in grant.accesses for check in access.handshake(sample) if check.passed is False]
    assert failed == []


@pytest.mark.parametrize(("name", "target"), WRAPPED_CASES)
def test_other_accesses_pass_untouched(name: str, target: str) -> None:
    """An access of a level that it does not name comes back as the very same object."""
    defence, here = made(name), trained(target)
    artefact = fitted(defence, here)
    others: list[Access] = [
        access
        for other in sorted(TARGET_CLASSES)
        for access in trained(other).grant().accesses
        if not any(issubclass(level_of(access), level) for level in defence.levels)
    ]
    assert others
    assert all(defence.on_access(access, artefact) is access for access in others)
