"""The shape of results.json, which scripts read."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from divulge.outcomes import Check, Failure, Measurement, Outcome, RunResults, SpecResult

RESULT = SpecResult(
    spec={"seed": 0},
    spec_hash="0123456789abcdef",
    measurements=(Measurement(metric="auc", value=0.5, low=0.4, high=None, n=3, arm="attack", group={"k": 1}),),
    outcomes=(Outcome(secret_id="s", metric="auc", value=1.0),),
    queries={"LabelAccess": 3},
    seconds=1.5,
    versions={"divulge": "0.1.0"},
    handshake=(Check(access="LabelAccess", name="accuracy is above chance", passed=None),),
)


def test_results_have_the_shape_of_the_contract() -> None:
    """Names as scripts know them; absent is null; mappings are objects; the schema has its number."""
    content = json.loads(
        RunResults(results=(RESULT,), failures=(Failure(spec_hash="f", reason="r"),)).model_dump_json()
    )
    assert content["schema_version"] == 1
    assert content["failures"] == [{"spec_hash": "f", "reason": "r"}]
    (result,) = content["results"]
    promised = "spec spec_hash measurements outcomes queries seconds versions data_fingerprint"
    assert set(promised.split()) <= set(result)
    assert result["measurements"] == [
        {"metric": "auc", "value": 0.5, "low": 0.4, "high": None, "n": 3, "arm": "attack", "group": {"k": 1}}
    ]
    assert result["outcomes"] == [{"secret_id": "s", "metric": "auc", "value": 1.0}]
    assert result["queries"] == {"LabelAccess": 3}
    assert result["data_fingerprint"] is None


def test_another_schema_is_not_read_as_this_one() -> None:
    """A file of a later version is refused rather than misread."""
    with pytest.raises(ValidationError, match="schema_version"):
        RunResults.model_validate_json('{"schema_version": 2, "results": []}')


@pytest.mark.parametrize("arm", ["attack", "baseline", "control", "utility", "probe"])
def test_the_arms_are_those_of_the_contract(arm: str) -> None:
    """Five arms; a figure that could not be measured has no value but still its n."""
    assert Measurement(metric="m", value=None, n=0, arm=arm).high is None  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match="'attack', 'baseline'"):
        Measurement(metric="m", value=None, n=0, arm=arm + "s")  # type: ignore[arg-type]


def test_there_are_no_fewer_than_no_trials() -> None:
    """The number of trials is a count."""
    with pytest.raises(ValidationError, match="greater than or equal to 0"):
        Measurement(metric="m", value=None, n=-1, arm="attack")
