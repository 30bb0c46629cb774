"""Tests of `divulge gate` and `divulge compare`, and of `divulge report` with a policy: as users and scripts see it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.report.sample import SECRET, figure, run
from tests.report.whole_run import BROKEN, leaking, made, silent, whole_run

from divulge.cli.gating import judged_run, source_of
from divulge.records import Failure, RunResults
from divulge.runs import write_results

LIMIT = '[[limits]]\nmetric = "exposure"\nbelow = 10.0\n'
NO_WORSE = '[[limits]]\nmetric = "exposure"\nno_worse_by = 1.0\nend = "value"\n'
SAFE = made(figure("exposure", 2.0, 1.0, 3.0), figure("test_accuracy", 0.9, 0.8, 0.95, arm="utility"))
WORSE = made(figure("exposure", 4.0, 3.0, 5.0))


@pytest.fixture
def kept(folder):
    """Writes runs, and a policy, into the working folder."""

    def keeping(results: RunResults, name: str = "one", policy: str = LIMIT) -> str:
        (folder / name).mkdir(exist_ok=True)
        write_results(folder / name, results)
        (folder / "policy.toml").write_text(policy)
        return name

    return keeping


@pytest.mark.parametrize(
    ("results", "code", "said"),
    [
        (run(SAFE), 0, "Passed: every limit holds (1 passed). Exit code 0."),
        (run(leaking()), 100, "Exceeded: a limit does not hold (1 exceeded). Exit code 100."),
        (run(leaking(handshake=(BROKEN,))), 3, "Inconclusive: the evidence does not suffice (1 inconclusive)."),
        (run(SAFE, failures=(Failure(spec_hash="0", reason="x"),)), 3, "(1 inconclusive, 1 passed). Exit code 3."),
        (run(leaking(), failures=(Failure(spec_hash="0", reason="x"),)), 100, "(1 exceeded, 1 inconclusive)"),
        (run(), 3, "Exit code 3."),
    ],
)
def test_the_exit_code_is_the_verdict(divulge, kept, results, code, said):
    """In words, in JSON and for the shell."""
    name = kept(results)
    ended = divulge("gate", name, "--policy", "policy.toml")
    assert (ended.code, ended.err) == (code, "")
    assert said in ended.out
    scripted = divulge("gate", f"{name}/results.json", "--policy", "policy.toml", "--json")
    assert (scripted.code, scripted.json["exit_code"]) == (code, code)
    assert scripted.json["verdict"] == {0: "passed", 100: "exceeded", 3: "inconclusive"}[code]


def test_the_table_shows_what_was_required_and_measured(divulge, kept):
    """With the interval, n and the verdict."""
    out = divulge("gate", kept(run(SAFE)), "--policy", "policy.toml").out
    assert out.split("\n")[0].split() == ["verdict", "required", "measured", "of", "why"]
    assert "passed   exposure: below 10, high end at 95 %  2 [1, 3] n=40" in out


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ('[[limits]]\nmetric = "exposre"\nbelow = 1', "unknown metric 'exposre'. Did you mean 'exposure'?"),
        ("[gate]", "the policy has no limit"),
        (NO_WORSE, "no_worse_by needs an earlier run. Name it with --against RUN"),
        ("x = [", "is not TOML"),
    ],
)
def test_a_bad_policy_is_the_callers_mistake(divulge, kept, policy, said):
    """Exit 2, without a trace, and nothing is judged."""
    ended = divulge("gate", kept(run(SAFE), policy=policy), "--policy", "policy.toml", "--json")
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_a_policy_that_is_not_there_is_one_too(divulge, kept):
    """And none at all."""
    assert divulge("gate", kept(run(SAFE)), "--policy", "absent.toml").code == 2
    assert divulge("gate", "one").code == 2


def test_a_run_that_cannot_be_read_is_a_failure(divulge, folder, kept):
    """Exit 1; a bad policy is told first."""
    kept(run(SAFE))
    assert divulge("gate", "absent", "--policy", "policy.toml").code == 1
    (folder / "one" / "results.json").write_text('{"schema_version": 99, "results": []}')
    ended = divulge("gate", "one", "--policy", "policy.toml")
    assert (ended.code, "has schema_version 99, which is newer than" in ended.err) == (1, True)
    (folder / "policy.toml").write_text("x = 1")
    assert divulge("gate", "absent", "--policy", "policy.toml").code == 2


@pytest.mark.parametrize(("old", "code"), [(SAFE, 100), (WORSE, 0)])
def test_a_run_is_held_against_an_earlier_one(divulge, kept, old, code):
    """Named on the command line, or in the policy."""
    kept(run(old), "old", NO_WORSE)
    kept(run(WORSE), "new", NO_WORSE)
    assert divulge("gate", "new", "--policy", "policy.toml", "--against", "old").code == code
    kept(run(WORSE), "new", f'against = "old"\n{NO_WORSE}')
    assert divulge("gate", "new", "--policy", "policy.toml").code == code
    assert divulge("report", "new", "--format", "card", "--policy", "policy.toml").code == 0


def test_an_earlier_run_that_only_the_policy_names_may_be_absent(divulge, folder, kept):
    """There is a first time; what the command line names, or what is there and broken, is not absent."""
    kept(run(WORSE), "new", f'against = "old"\n{NO_WORSE}')
    assert divulge("gate", "new", "--policy", "policy.toml").code == 3
    kept(run(WORSE), "new", f'against = "old"\n{NO_WORSE}when_absent = "pass"\n{LIMIT}')
    assert divulge("gate", "new", "--policy", "policy.toml").code == 0
    assert divulge("gate", "new", "--policy", "policy.toml", "--against", "old").code == 1
    (folder / "old").mkdir()
    (folder / "old" / "results.json").write_text("{")
    assert divulge("gate", "new", "--policy", "policy.toml").code == 1


def test_a_named_run_must_be_there_even_where_it_is_not_needed(divulge, kept):
    """A mistyped name is not passed over."""
    assert divulge("gate", kept(run(SAFE)), "--policy", "policy.toml", "--against", "absent").code == 1


def test_the_judgement_is_written_for_other_systems_too(divulge, folder, kept):
    """JUnit and SARIF, whatever the verdict; what cannot be written fails."""
    name = kept(run(leaking()))
    options = ["--policy", "policy.toml", "--junit", "junit.xml", "--sarif", "out.sarif", "--at", "audit.toml"]
    assert divulge("gate", name, *options).code == 100
    assert ET.parse(folder / "junit.xml").getroot().attrib["failures"] == "1"
    (one,) = json.loads((folder / "out.sarif").read_text())["runs"][0]["results"]
    assert one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "audit.toml"
    ended = divulge("gate", name, "--policy", "policy.toml", "--junit", "absent/junit.xml")
    assert (ended.code, "absent/junit.xml: cannot be written" in ended.err) == (1, True)


def test_a_figure_of_a_probe_of_ones_own_can_be_limited(divulge, kept):
    """The run makes its name known."""
    own = made(figure("my_score", 0.9, 0.8, 0.95, arm="probe"))
    policy = '[[limits]]\nmetric = "my_score"\nabove = 0.5'
    assert divulge("gate", kept(run(own), policy=policy), "--policy", "policy.toml").code == 0
    assert divulge("gate", kept(run(SAFE), policy=policy), "--policy", "policy.toml").code == 2


def test_results_without_a_known_spec_are_judged_all_the_same(divulge, folder, kept):
    """Whoever writes results by hand gets a verdict, not a trace."""
    kept(run())
    measured = {"metric": "exposure", "value": 2.0, "low": 1.0, "high": 3.0, "n": 40, "arm": "attack", "group": {}}
    result = {"spec": {}, "spec_hash": "0", "measurements": [measured], "seconds": 0.0, "versions": {}}
    (folder / "one" / "results.json").write_text(json.dumps({"schema_version": 1, "results": [result]}))
    assert divulge("gate", "one", "--policy", "policy.toml").code == 0
    assert divulge("compare", "one", "one").code == 0


# -- compare ----------------------------------------------------------------------------------------------


def test_compare_shows_both_figures_and_their_difference(divulge, kept):
    """In words and in JSON, with what only one run has."""
    kept(run(SAFE), "old")
    kept(run(WORSE, silent("other")), "new")
    ended = divulge("compare", "old", "new")
    assert ended.code == 0
    assert "2 [1, 3] n=40" in ended.out
    assert "4 [3, 5] n=40" in ended.out
    assert "2 [0.586, 3.41] n=40" in ended.out  # 2 ± sqrt(2)
    assert "Only in the first run:\n  soft-token on tagger: test_accuracy (utility)" in ended.out
    assert "Only in the second run:\n  other on tagger" in ended.out
    (change,) = divulge("compare", "old", "new", "--json").json["changes"]
    assert (change["verdict"], change["difference"]["paired"]) == ("worse", False)


def test_compare_shows_no_figure_of_a_broken_access(divulge, kept):
    """They would be read."""
    kept(run(SAFE), "old")
    kept(run(made(figure("exposure", 4.0, 3.0, 5.0), handshake=(BROKEN,))), "new")
    out = divulge("compare", "old", "new").out
    assert "void: the handshake failed in the second run" in out
    assert "4 [3, 5]" not in out


def test_compare_of_runs_without_anything_in_common_says_so(divulge, kept):
    """And lists what each has."""
    kept(run(silent("a")), "old")
    kept(run(silent("b")), "new")
    assert "The runs have no figure in common." in divulge("compare", "old", "new").out


def test_compare_of_what_cannot_be_read_fails(divulge, kept):
    """Exit 1 for either; 2 for one run alone."""
    kept(run(SAFE), "old")
    assert divulge("compare", "old", "absent").code == 1
    assert divulge("compare", "absent", "old").code == 1
    assert divulge("compare", "old").code == 2


def test_the_same_audit_run_twice_is_paired(divulge):
    """A real run beside the same with a silent model: the secrets are the same, secret by secret."""
    for leaks in ("true", "false"):
        settings = ["--set", f"target.recipe.leaks={leaks}", "--set", "secrets.count=10", "--workers", "0"]
        assert divulge("audit", "audit.toml", "--out", leaks, *settings).code == 0
    ended = divulge("compare", "true", "false", "--json")
    assert ended.err == ""
    found = {(one["metric"], one["arm"]): one for one in ended.json["changes"]}
    change = found["accuracy", "attack"]
    assert (change["difference"]["paired"], change["difference"]["n"], change["verdict"]) == (True, 10, "better")
    assert not found["accuracy", "control"]["difference"]["paired"]
    shown = divulge("compare", "true", "false")
    assert "paired, n=10" in shown.out
    assert "the runs also differ in target.recipe.leaks" in shown.err


# -- report with a policy ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["junit", "sarif", "card"])
def test_a_report_can_show_what_a_policy_says(divulge, folder, kept, name):
    """Exit 0 whatever it says: only the gate judges. No secret is in it."""
    kept(whole_run())
    plain = divulge("report", "one", "--format", name)
    judged = divulge("report", "one", "--format", name, "--policy", "policy.toml")
    assert (plain.code, judged.code) == (0, 0)
    assert "exposure: below 10" not in plain.out
    assert "exposure: below 10" in judged.out
    assert SECRET not in plain.out + judged.out
    assert divulge("report", "one", "--format", name, "-o", "written").code == 0
    assert (folder / "written").read_text() == plain.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--format", "md", "--policy", "policy.toml"], "--policy is for the formats card, junit, sarif. Got md"),
        (["--format", "sarif", "--show-secrets"], "SARIF never holds secrets"),
        (["--format", "junt"], "Did you mean 'junit'"),
        (["--format", "card", "--policy", "absent.toml"], "absent.toml: cannot be read"),
    ],
)
def test_what_does_not_go_together_is_refused(divulge, kept, options, said):
    """Exit 2."""
    ended = divulge("report", kept(run(SAFE)), *options)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_a_report_points_at_the_file_it_was_made_from(tmp_path):
    """Unless told otherwise."""
    assert source_of(tmp_path, None) == f"{tmp_path.as_posix()}/results.json"
    assert source_of(tmp_path / "mine.json", None) == f"{tmp_path.as_posix()}/mine.json"
    assert source_of(tmp_path, Path("audit.toml")) == "audit.toml"


def test_what_a_command_judges_can_be_judged_in_python(folder, kept):
    """The same run, the same verdict."""
    results, judged = judged_run(folder / kept(run(leaking())), folder / "policy.toml")
    assert (results, judged.exit_code) == (run(leaking()), 100)
