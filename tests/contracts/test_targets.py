"""What every registered target must do; a new one is found here by its line in `TARGETS`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.small_worlds import TARGET_CLASSES, alike, asked, made, owner_sample, trained

from divulge.access import LEVELS
from divulge.errors import InputError
from divulge.grants import level_of
from divulge.records import Artefact, Gaps, LeakedRow, RecordText, UserTexts
from divulge.store import Store
from divulge.targets import TARGETS

NAMES = sorted(TARGETS)


def content(artefact: Artefact) -> tuple[str, dict[str, tuple[str, tuple[int, ...], bytes]]]:
    """All of an artefact, byte for byte."""
    arrays = {name: (str(array.dtype), array.shape, array.tobytes()) for name, array in artefact.arrays.items()}
    return json.dumps(artefact.values, sort_keys=True), arrays


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is(name: str) -> None:
    """Its name is the registered one; it grants levels and holds kinds of secrets that exist; its recipe is JSON."""
    found = TARGET_CLASSES[name]
    assert found.name == name
    assert found.summary
    assert found.summary[0].islower()
    assert set(found.grants) <= set(LEVELS.values())
    assert found.grants
    assert set(found.hints) <= {Gaps, UserTexts, RecordText, LeakedRow}
    assert found.hints
    recipe = made(name).options
    assert found.Options.model_validate_json(recipe.model_dump_json()) == recipe


@pytest.mark.parametrize("name", NAMES)
def test_unknown_settings_are_refused(name: str) -> None:
    """A slip in a recipe is an error, not a default."""
    with pytest.raises(InputError, match="unknown key 'epoch_count'"):
        TARGET_CLASSES[name]({"epoch_count": 1})


@pytest.mark.parametrize("name", NAMES)
def test_it_grants_exactly_what_it_declares(name: str) -> None:
    """What is planned from the declaration is there, at that level, and nothing besides."""
    grant = trained(name).grant()
    assert grant.levels == tuple(trained(name).target.granted)
    assert set(grant.levels) <= set(TARGET_CLASSES[name].grants)
    assert [level_of(access) for access in grant.accesses] == list(grant.levels)


@pytest.mark.parametrize("name", NAMES)
def test_its_handshake_passes(name: str) -> None:
    """On its own training texts every check that can be tried holds, and each access has one that can."""
    here = trained(name)
    grant = here.grant()
    for access in grant.accesses:
        checks = access.handshake(owner_sample(here.corpus, grant))
        assert [check for check in checks if check.passed is False] == []
        assert any(check.passed for check in checks)


@pytest.mark.parametrize("name", NAMES)
def test_the_store_keeps_all_of_it(name: str, tmp_path: Path) -> None:
    """Written and read again, it opens to the same answers: nothing lives outside of the artefact."""
    here, key = trained(name), "0" * 64
    Store(tmp_path).put(key, here.artefact, {"kind": "train-target"})
    kept = Store(tmp_path).get(key)
    assert content(kept) == content(here.artefact)
    again = type(here.target)(here.target.options.model_dump(mode="json")).open(kept)
    assert alike(asked(again, here.corpus), asked(here.grant(), here.corpus))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_model(name: str) -> None:
    """All randomness of training comes from the generator that is passed in."""
    assert content(trained.__wrapped__(name).artefact) == content(trained(name).artefact)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_question_gets_the_same_answer(name: str) -> None:
    """Asked again, of the same grant or of one opened anew; each grant counts for itself."""
    here = trained(name)
    grant = here.grant()
    first = asked(grant, here.corpus)
    spent = dict(grant.meter.asked)
    assert sum(spent.values()) > 0
    assert alike(first, asked(grant, here.corpus))
    other = here.grant()
    assert other.meter.total == 0
    assert alike(first, asked(other, here.corpus))
    assert dict(other.meter.asked) == spent


# An encoder learns nothing, it embeds whatever it is handed; nor does a file of predictions about all texts.
UNTAUGHT = {"predictions", *(name for name in NAMES if LeakedRow in TARGET_CLASSES[name].hints)}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in UNTAUGHT])
def test_the_test_split_is_never_trained_on(name: str) -> None:
    """Without it the same model is made: accuracy there is honest, and nothing of it can leak."""
    here = trained(name)
    outside = [replace(text, tokens=("zebra",), split="test") for text in here.corpus.texts[:9]]
    seen = replace(here.corpus, texts=(*(text for text in here.corpus if text.split != "test"), *outside))
    assert seen.fingerprint != here.corpus.fingerprint
    again = here.target.train(seen, np.random.default_rng(0))
    assert content(again) == content(here.artefact)
