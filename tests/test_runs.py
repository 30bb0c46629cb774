"""Tests of whole runs from Python: what is written, what is done again, what is never shown."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from tests.auditing.sample import attacking, specs_of

from divulge import __version__, runs
from divulge.auditing.planning import plan
from divulge.canonical import thaw
from divulge.errors import ExecutionError, InputError
from divulge.parts import validate
from divulge.records import RunResults, SpecResult
from divulge.runs import _set_aside, gather, read_results, run_specs, versions, write_results
from divulge.spec import AuditSpec
from divulge.store import Store

EMPTY = RunResults(results=())


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    return Store(tmp_path / "store")


def timeless(results: RunResults) -> list[dict]:
    """Results without the seconds they took, which no two runs share."""
    return [result.model_dump(mode="json", exclude={"seconds"}) for result in results.results]


def events(out: Path, name: str) -> list[str]:
    """The kinds of tasks with such an event in the log."""
    lines = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    return sorted(line["kind"] for line in lines if line["event"] == name)


def test_a_run_leaves_its_results_and_its_log(store, tmp_path):
    """results.json has the fields that scripts rely on, and holds what was returned."""
    out = tmp_path / "deep" / "run"
    returned = run_specs(specs_of("canaries"), store, workers=0, out=out)
    assert sorted(path.name for path in out.iterdir()) == ["log.jsonl", "results.json"]
    content = json.loads((out / "results.json").read_text(), parse_constant=pytest.fail)
    assert set(content) == {"schema_version", "results", "failures"}
    (result,) = content["results"]
    promised = {"spec", "spec_hash", "measurements", "queries", "seconds", "versions", "data_fingerprint", "outcomes"}
    assert promised <= set(result)
    assert {"metric", "value", "low", "high", "n", "arm", "group"} == set(result["measurements"][0])
    assert {"secret_id", "metric", "value"} == set(result["outcomes"][0])
    assert read_results(out) == returned
    assert events(out, "done") == ["attack", "measure", "prepare", "probe", "train-target"]


def test_a_result_tells_what_it_rests_on(store):
    """The spec it answers, its data, versions, queries, and the time of all tasks behind it."""
    (spec,) = specs_of("canaries")
    (result,) = run_specs([spec], store, workers=0).results
    planned = plan([spec])
    assert validate(AuditSpec, thaw(result.spec), "results") == spec
    assert result.spec_hash == spec.hash
    assert result.data_fingerprint == planned.planned[0].resolved.corpus.fingerprint
    assert result.queries == {"LabelLikelihoodAccess": 660}
    assert result.versions["divulge"] == __version__
    spent = [store.info(task.key)["seconds"] for task in planned.graph]
    assert result.seconds == pytest.approx(sum(spent), abs=1e-3)


@pytest.mark.parametrize("kind", ["canaries", "users", "rows"])
def test_every_arm_is_there_and_every_number_is_in_its_interval(kind, store):
    """Attack, baseline, control and utility; finite numbers; low <= value <= high."""
    (result,) = run_specs(specs_of(kind), store, workers=0).results
    assert {m.arm for m in result.measurements} - {"probe"} == {"attack", "baseline", "control", "utility"}
    for one in result.measurements:
        numbers = [n for n in (one.low, one.value, one.high) if n is not None]
        assert all(map(math.isfinite, numbers))
        assert numbers == sorted(numbers), one


def test_the_same_seed_gives_the_same_results_with_any_number_of_workers(tmp_path):
    """In this process, and with two others, record for record."""
    specs = [*specs_of("canaries", attacking("label-likelihood", "random")), *specs_of("users")]
    alone = run_specs(specs, Store(tmp_path / "alone"), workers=0)
    two = run_specs(specs, Store(tmp_path / "two"), workers=2)
    assert not alone.failures
    assert timeless(alone) == timeless(two)
    assert [result.spec_hash for result in alone.results] == [spec.hash for spec in specs]


def test_another_seed_gives_other_results(store):
    """Other canaries, other ids."""
    one, two = (run_specs(specs_of("canaries", f"run.seed={seed}"), store, workers=0).results[0] for seed in (0, 1))
    assert not {o.secret_id for o in one.outcomes} & {o.secret_id for o in two.outcomes}


def test_a_second_run_does_nothing_and_says_the_same(store, tmp_path):
    """All is in the store, seconds included."""
    first = run_specs(specs_of("canaries"), store, workers=0)
    out = tmp_path / "again"
    assert run_specs(specs_of("canaries"), store, workers=0, out=out) == first
    assert events(out, "done") == events(out, "start") == []


@pytest.mark.parametrize(
    ("kind", "again"),
    [
        ("measure", ["measure"]),
        # What stands behind a finished result is not needed for it.
        ("attack", []),
        ("train-target", []),
    ],
)
def test_after_clearing_one_kind_only_what_is_missing_is_done(kind, again, store, tmp_path):
    """Figures can be measured again without asking again, and asking needs no new training."""
    first = run_specs(specs_of("canaries"), store, workers=0)
    assert len(store.clear(kind)) == 1
    second = run_specs(specs_of("canaries"), store, workers=0, out=tmp_path / "again")
    assert events(tmp_path / "again", "done") == again
    assert timeless(second) == timeless(first)


def test_a_changed_budget_asks_again_and_trains_nothing(store, tmp_path):
    """The model, its utility and the attack's knowledge are there."""
    run_specs(specs_of("canaries"), store, workers=0)
    run_specs(specs_of("canaries", "adversary.max_queries=50"), store, workers=0, out=tmp_path / "again")
    assert events(tmp_path / "again", "done") == ["attack", "measure"]


def test_a_failed_spec_is_told_beside_the_results_of_others(store, tmp_path):
    """Both in results.json."""
    specs = specs_of("canaries", attacking("label-likelihood", "Breaker", "random"))
    results = run_specs(specs, store, workers=0, out=tmp_path)
    assert [result.spec_hash for result in results.results] == [specs[0].hash, specs[2].hash]
    assert [failure.spec_hash for failure in results.failures] == [specs[1].hash]
    assert (
        "needs attack 'fake-classifier with tests.auditing.sample:Breaker', which failed: RuntimeError at"
        in results.failures[0].reason
    )
    assert json.loads((tmp_path / "results.json").read_text())["failures"][0]["reason"] == results.failures[0].reason


def test_debugging_may_quote_what_an_own_part_said(store):
    """Only then."""
    results = run_specs(specs_of("canaries", attacking("Breaker")), store, workers=0, debug=True)
    assert "cannot go on with" in results.failures[0].reason


def test_what_was_not_computed_is_a_failure_that_says_so(store):
    """Results can be gathered from a store at any time."""
    planned = plan(specs_of("canaries"))
    (failure,) = gather(planned, store).failures
    assert failure.reason == "not computed yet"


def test_bad_input_leaves_no_run_directory(store, tmp_path):
    """Nothing is written before every spec has been checked."""
    out = tmp_path / "run"
    with pytest.raises(InputError):
        run_specs([*specs_of("canaries"), *specs_of("canaries", "attacks.0.name=nonsense")], store, workers=0, out=out)
    assert not out.exists()
    assert list(store.entries()) == []


def test_an_out_that_is_a_file_is_refused_before_anything_runs(store, tmp_path):
    """And the file stays what it was."""
    out = tmp_path / "run"
    out.write_text("mine")
    with pytest.raises(InputError, match="is a file; --out needs a directory"):
        run_specs(specs_of("canaries"), store, workers=0, out=out)
    assert out.read_text() == "mine"
    assert list(store.entries()) == []


@pytest.mark.parametrize("blocked", ["parent", "log"])
def test_an_out_that_cannot_be_written_fails_before_anything_runs(blocked, store, tmp_path):
    """A file where a folder is needed, or a folder where the log belongs."""
    out = tmp_path / "parent" / "run"
    if blocked == "parent":
        (tmp_path / "parent").write_text("")
    else:
        (out / "log.jsonl").mkdir(parents=True)
    with pytest.raises(ExecutionError, match="cannot be (made|written)"):
        run_specs(specs_of("canaries"), store, workers=0, out=out)
    assert list(store.entries()) == []


def test_results_appear_whole_or_not_at_all(tmp_path, monkeypatch):
    """A failing disk leaves the old file and no half of a new one."""
    write_results(tmp_path, EMPTY)
    before = (tmp_path / "results.json").read_bytes()

    def refuse(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    failed = RunResults(results=(), failures=({"spec_hash": "a", "reason": "b"},))
    with pytest.raises(ExecutionError, match="cannot be written: No space left"):
        write_results(tmp_path, failed)
    assert (tmp_path / "results.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_results_are_read_from_a_run_or_from_the_file_itself(tmp_path):
    """Both name the same."""
    write_results(tmp_path, EMPTY)
    assert read_results(tmp_path) == read_results(tmp_path / "results.json") == EMPTY


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read: No such file"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"", "is empty"),
        (b"nonsense", "is not JSON"),
        (b'{"a" 1, "b": 2, "c": 3}', "is not JSON"),
        (b"[" * 100_000, "too deep"),
        (b"{}", r"does not tell its schema_version, which must be a whole number \(now 1\)"),
        (b"[]", "does not tell its schema_version"),
        (b'{"results": []}', "does not tell its schema_version"),
        (b'{"schema_version": true, "results": []}', "does not tell its schema_version"),
        (b'{"schema_version": "1", "results": []}', "does not tell its schema_version"),
        (b'{"schema_version": 2, "results": []}', "has schema_version 2, which is newer than 1"),
        (b'{"schema_version": 0, "results": []}', "has schema_version 0, older than 1, the oldest that can be read"),
        (b'{"schema_version": 1}', "wrong or missing at results"),
        (b'{"schema_version": 1, "results": [{"spec": NaN}]}', "wrong or missing at results.0.spec"),
        (
            b'{"schema_version": 1, "results": [], "more": "swordfish"}',
            r"wrong or missing at more\. Make the run again",
        ),
    ],
)
def test_a_run_that_cannot_be_read_says_why(content, said, tmp_path):
    """Whatever it holds."""
    if content is not None:
        (tmp_path / "results.json").write_bytes(content)
    with pytest.raises(ExecutionError, match=said):
        read_results(tmp_path)


@pytest.mark.parametrize("kept", range(2, 110, 3))
def test_a_file_that_was_cut_off_is_told_from_one_that_never_was_json(kept, tmp_path):
    """Wherever it ends: in a word, in a number, between two things."""
    whole = (
        '{"schema_version": 1, "results": [], "failures": [{"spec_hash": "0123", "reason": "x", "m": [1.5, false]}]}'
    )
    (tmp_path / "results.json").write_text(whole[: min(kept, len(whole.rstrip()) - 1)])
    with pytest.raises(ExecutionError, match="is cut off: not all of it is there"):
        read_results(tmp_path)


def test_an_older_schema_is_read_by_one_function_per_step(tmp_path, monkeypatch):
    """From -1 to 0 to 1; each sees what the one before it made, and the file stays as it is."""
    steps = {
        -1: lambda values: {"found": values["old"]},
        0: lambda values: {"results": values["found"]},
    }
    monkeypatch.setattr(runs, "MIGRATIONS", steps)
    text = '{"schema_version": -1, "old": []}'
    (tmp_path / "results.json").write_text(text)
    assert read_results(tmp_path) == EMPTY
    assert (tmp_path / "results.json").read_text() == text
    (tmp_path / "results.json").write_text('{"schema_version": -2, "old": []}')
    with pytest.raises(ExecutionError, match="has schema_version -2, older than -1, the oldest that can be read"):
        read_results(tmp_path)


def test_versions_leave_out_what_is_not_installed(monkeypatch):
    """Results depend on those that are."""
    monkeypatch.setattr(runs, "LIBRARIES", ("numpy", "no-such-library"))
    assert set(versions()) == {"divulge", "python", "numpy"}


def test_no_secret_of_canaries_is_in_what_may_be_shown(store, tmp_path):
    """Candidate sets are part of the spec and public; which of them were planted is not, in any order or spelling."""
    words = [f"qz{letter}x" for letter in "abcdefghij"]
    settings = (
        "secrets.pattern=the word of <name*2> is {odd*2}",
        f"secrets.candidates={{odd={json.dumps(words)}}}",
        attacking("label-likelihood", "Breaker"),
    )
    results = run_specs(specs_of("canaries", *settings), store, workers=0, out=tmp_path / "run")
    shown = json.loads((tmp_path / "run" / "results.json").read_text())
    for result in shown["results"]:
        assert result["spec"]["secrets"].pop("candidates") == {"odd": words}
    told = json.dumps(shown) + (tmp_path / "run" / "log.jsonl").read_text()
    assert len(results.results) == len(results.failures) == 1
    assert not any(word in told for word in words)


@pytest.mark.parametrize("kind", ["users", "rows"])
def test_nothing_of_the_data_is_in_what_may_be_shown(kind, store, tmp_path):
    """Neither a word of anybody's texts nor a name."""
    path = tmp_path / "own.jsonl"
    rows = [
        {"text": f"qzword{n % 7} qzother{n} qzthird{n % 5}", "user": f"qzuser{n % 12}", "keywords": [f"qzword{n % 7}"]}
        for n in range(36)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    background = tmp_path / "public.jsonl"
    background.write_text("\n".join(json.dumps({**row, "text": row["text"] + " qzmore"}) for row in rows))
    settings = [f'data={{path="{path}"}}', "secrets.count=4"]
    if kind == "users":
        settings += ["secrets.controls=4"]
    else:
        settings += [f'adversary.background.corpus={{path="{background}"}}']
    results = run_specs(specs_of(kind, *settings), store, workers=0, out=tmp_path / "run")
    assert not results.failures
    assert any("qz" in str(store.get(entry.key).values) for entry in store.entries())  # the store does hold it
    for file in (tmp_path / "run").iterdir():
        assert "qz" not in file.read_text()


def test_a_probing_run_has_no_attack_to_tell_of(store):
    """Utility alone, no queries, no handshake."""
    (result,) = run_specs(specs_of("canaries", "attacks=[]"), store, workers=0).results
    assert isinstance(result, SpecResult)
    assert {m.arm for m in result.measurements} == {"utility"}
    assert (result.queries, result.handshake, result.outcomes) == ({}, (), ())


def test_an_earlier_result_is_set_aside_before_a_run_begins(tmp_path):
    """A run that is cut off must not show the result of another one as its own, and nothing is lost."""
    path = tmp_path / "results.json"
    _set_aside(path)
    path.write_text("old")
    _set_aside(path)
    assert not path.exists()
    assert (tmp_path / "previous-results.json").read_text() == "old"


def test_a_result_that_was_cleared_during_the_run_is_told_as_such(store, monkeypatch):
    """Its task was done, so neither "failed" nor "not computed" would be true; the same call again makes it."""
    whole = runs.run

    def then_cleared(*arguments, **options):
        report = whole(*arguments, **options)
        store.clear("measure")
        return report

    with monkeypatch.context() as during:
        during.setattr(runs, "run", then_cleared)
        (failure,) = run_specs(specs_of("canaries"), store, workers=0).failures
    assert failure.reason.startswith("its result was removed from the store while the run was under way")
    assert run_specs(specs_of("canaries"), store, workers=0).failures == ()
