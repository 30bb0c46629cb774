"""What every registered probe must do; a new one is found here by its line in `PROBES`."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.small_worlds import POOLED, TARGET_CLASSES, Trained, trained

from divulge.access import LEVELS, Access, EmbeddedRowsAccess
from divulge.errors import InputError
from divulge.parts import load
from divulge.probes import PROBES
from divulge.probes.base import Probe
from divulge.records import Measurement

# Names that scripts rely on: the utility metrics of the contract.
UTILITY = {
    "intent_accuracy",
    "slot_f1",
    "train_accuracy",
    "valid_accuracy",
    "test_accuracy",
    "accuracy_gap",
    "train_perplexity",
    "test_perplexity",
    "entity_f1",
    "recall_at_10",
    "log_probability",
    "word_rank",
    "median_rank",
    "frequency_rank",
    "word_share",
    "density",
}
WITH_UNITS = ("seq2seq-generator", "text-generator")  # targets whose hidden units their owner can reach
WORDLESS = ("fake-generator", "own-generator")  # stand-ins here: no word of their texts is in their vocabulary
PROBE_CLASSES = {name: load(PROBES, name, Probe, "probe") for name in PROBES}


def serves(granted: tuple[type[Access], ...], required: tuple[type[Access], ...]) -> bool:
    return all(any(issubclass(level, wanted) for level in granted) for wanted in required)


ROWS_ALONE = (EmbeddedRowsAccess,)  # what a file of vectors grants without the encoder that made it
CASES = [
    (probe, target)
    for probe, kind in sorted(PROBE_CLASSES.items())
    for target, other in sorted(TARGET_CLASSES.items())
    if serves(ROWS_ALONE if target in POOLED else other.grants, kind.requires)
    and (other.is_tagger or not kind.of_taggers)
    and (other.labels_texts or not kind.of_labels)
    and (target not in POOLED or not kind.of_tokens)
    and (target in WITH_UNITS or not kind.of_units)
    and (target not in WORDLESS or probe != "word-standing")
]


def measured(probe: str, here: Trained, seed: int = 0, *, narrow: bool = False) -> list[Measurement]:
    """All figures of a probe; with `narrow`, through nothing but what it requires."""
    kind, grant = PROBE_CLASSES[probe], here.grant()
    granted = grant.limited(kind.requires, None) if narrow else grant
    return kind().measure(granted, here.corpus, np.random.default_rng(seed))


@pytest.mark.parametrize("name", sorted(PROBES))
def test_it_says_what_it_is(name: str) -> None:
    """Its name is the registered one; it requires levels that exist; some target serves it."""
    found = PROBE_CLASSES[name]
    assert found.name == name
    assert found.summary
    assert set(found.requires) <= set(LEVELS.values())
    assert name in {probe for probe, _ in CASES}


@pytest.mark.parametrize("name", sorted(PROBES))
def test_unknown_options_are_refused(name: str) -> None:
    """A slip in an option's name is an error."""
    with pytest.raises(InputError, match="unknown key 'row_count'"):
        PROBE_CLASSES[name]({"row_count": 1})


@pytest.mark.parametrize(("probe", "target"), CASES)
def test_its_figures_are_those_of_the_contract(probe: str, target: str) -> None:
    """Known names, each once, in the owner's arms; a value inside its interval; n trials; valid JSON."""
    found = measured(probe, trained(target))
    assert found
    assert len({(one.metric, tuple(one.group.items())) for one in found}) == len(found)
    for one in found:
        assert one.arm in {"utility", "probe"}
        assert one.arm == "probe" or one.metric in UTILITY
        assert one.value is not None
        assert one.low is not None
        assert one.high is not None
        assert one.low <= one.value <= one.high
        assert one.n > 0
        assert Measurement.model_validate_json(json.dumps(one.model_dump(mode="json"), allow_nan=False)) == one


@pytest.mark.parametrize(("probe", "target"), CASES)
def test_the_same_seed_gives_the_same_figures(probe: str, target: str) -> None:
    """All randomness comes from the generator that is passed in."""
    assert measured(probe, trained(target), 3) == measured(probe, trained(target), 3)


@pytest.mark.parametrize(("probe", "target"), CASES)
def test_what_it_requires_is_enough(probe: str, target: str) -> None:
    """Through exactly the levels that it names, it gives the same figures, if fewer."""
    whole = {(one.metric, tuple(one.group.items())): one for one in measured(probe, trained(target))}
    for one in measured(probe, trained(target), narrow=True):
        assert one.value == whole[one.metric, tuple(one.group.items())].value


@pytest.mark.parametrize("probe", sorted(PROBES))
def test_it_refuses_what_does_not_serve_it(probe: str) -> None:
    """A target of another kind cannot be measured by it."""
    kind = PROBE_CLASSES[probe]
    others = [name for name, target in sorted(TARGET_CLASSES.items()) if not serves(target.grants, kind.requires)]
    with pytest.raises(InputError, match=r"requires \w+Access; granted is"):
        measured(probe, trained(others[0]))
