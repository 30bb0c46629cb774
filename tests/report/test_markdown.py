"""The report for people."""

from tests.report.sample import SECRET, arms, figure, result, run
from tests.report.whole_run import grown_run, leaking, of_records, revealed_of, silent, whole_run, with_epsilon

from divulge.records import Check, Failure
from divulge.report.markdown import render, render_study
from divulge.studies.rows import MissingCell, StudyRow, StudyTable

LEAK = arms("accuracy", (0.93, 0.81, 0.98), 0.01, (0.0, 0.0, 0.09))


def test_the_verdict_comes_first() -> None:
    """Before anything that it rests on."""
    text = render(run(result(*LEAK), result(*arms("hdt", (0.9, 0.85, 0.95), 0.9))))
    lines = text.splitlines()
    assert lines[0].startswith("# ")
    assert lines[2] == "Findings: 1 leak, 1 none found."
    assert text.index("**A leak was found") < text.index("What was asked")
    assert "| accuracy | – | 0.93 [0.81, 0.98] n=40 | 0.01 | 0 [0, 0.09] n=40 | leak |" in lines


def test_it_says_what_was_asked_and_what_it_cost() -> None:
    """Access, queries, limit, background, defences, seconds."""
    text = render(run(result(*LEAK)))
    assert "- Access granted: all that the target grants" in text
    assert "- Examples asked: GradientAccess 1500 (limit: none)" in text
    assert "- Background: public texts none, 0 shadows, 0 references" in text
    assert "- Defences: none\n" in text
    assert "- Cost: 12.3 s" in text


def test_defences_are_named_with_what_the_adversary_knows() -> None:
    """The static and the adaptive adversary read differently."""
    known = result(*LEAK)
    spec = {**known.spec, "defences": [{"name": "rounding", "options": {}}]}
    adversary = {**known.spec["adversary"], "knows_defence": True}  # type: ignore[dict-item]
    static = render(run(result(*LEAK, spec=spec)))
    adaptive = render(run(result(*LEAK, spec={**spec, "adversary": adversary})))
    assert "- Defences: rounding, unknown to the adversary" in static
    assert "- Defences: rounding, known to the adversary" in adaptive


def test_it_says_how_to_read_each_metric() -> None:
    """Once for each, with the side that leaks."""
    text = render(run(result(*LEAK, *arms("hdt", (0.1, 0.0, 0.2), 0.9)), result(*LEAK)))
    reading = text[text.index("## How to read the figures") :]
    assert reading.count("**accuracy**") == 1
    assert "**accuracy**: The share of secrets" in reading
    assert "Higher means that more leaks" in reading.split("- **")[1]
    assert "Lower means that more leaks" in reading.split("- **")[2]


def test_it_can_be_reproduced() -> None:
    """Hash, seed, fingerprint, versions; a name with a bar in it stays one name."""
    made = result(*LEAK)
    text = render(run(made))
    assert f"- Spec {made.spec_hash}, seed 7" in text
    assert f"- Data my\\|data.csv, fingerprint {'f' * 64}" in text
    assert "- Versions: divulge 0.1.0" in text


def test_the_handshake_is_told() -> None:
    """Held, failed, could not be tried."""
    checks = (
        Check(access="LabelAccess", name="accuracy is above chance", passed=True, detail="accuracy 0.9"),
        Check(access="LabelAccess", name="same text, same label", passed=False),
        Check(access="GradientAccess", name="gradient matches", passed=None),
    )
    text = render(run(result(*LEAK, handshake=checks)))
    assert "- LabelAccess: accuracy is above chance: held (accuracy 0.9)" in text
    assert "- LabelAccess: same text, same label: FAILED" in text
    assert "- GradientAccess: gradient matches: could not be tried" in text
    assert "**Inconclusive: the handshake failed" in text


def test_utility_and_oracle_choices_stand_apart() -> None:
    """They are shown, and claimed for nothing."""
    more = (
        figure("test_accuracy", 0.8, 0.7, 0.9, 100, "utility"),
        figure("exact", 0.9, 0.8, 1.0, 40, "attack", choice="oracle"),
    )
    lines = render(run(result(*LEAK, *more))).splitlines()
    assert "| test_accuracy | – | 0.8 [0.7, 0.9] n=100 |" in lines
    assert "| exact | choice oracle | 0.9 [0.8, 1] n=40 | – | – | no attacker could choose so |" in lines


def test_no_secret_is_in_it() -> None:
    """Neither patterns nor candidates nor ids of secrets."""
    text = render(run(result(*LEAK), failures=(Failure(spec_hash="abc", reason="worker died"),)))
    assert SECRET not in text
    assert "id-0123" not in text


def test_failures_are_listed() -> None:
    """With the reason, and in the count at the top."""
    text = render(run(failures=(Failure(spec_hash="abc", reason="worker died"),)))
    assert "Findings: 1 failed." in text
    assert "- Spec abc: worker died" in text


def test_a_study_lists_what_is_missing() -> None:
    """A table without rows says so; notes stand below a table with rows."""
    missing = MissingCell(cell={"R": 1, "n": 4}, attack=None, seed=3, reason="worker <9> died")
    table = StudyTable(study="p/t", paper="p", scale="smoke", rows=(), failures=(missing,), seconds=2.0, versions={})
    text = render_study(table)
    assert text.startswith("## p/t, scale smoke (2 s of work)\n\nNothing was computed.")
    assert text.endswith("Missing:\n\n- R 1, n 4, probes, seed 3: worker \\<9\\> died\n")
    row = StudyRow(
        cell={"R": 1},
        attack="random",
        arm="attack",
        metric="hdt",
        published=None,
        copy=None,
        value=0.9,
        low=0.8,
        high=1.0,
        n=10,
        verdict="not comparable",
        note="a|b",
    )
    full = render_study(table.model_copy(update={"rows": (row,), "failures": ()}))
    assert "| 1 | random | attack | hdt | – | – | 0.9 [0.8, 1] n=10 | not comparable | 1 |" in full
    assert full.endswith("1. a\\|b\n")


def test_the_owners_view_is_shown_and_marked_under_a_budget() -> None:
    """The figure stays in the table; the table says that it decides nothing."""
    made = result(*arms("exposure", (9.0, 8.0, 9.9), 1.4, (1.4, 0.9, 2.0)))
    adversary = {**made.spec["adversary"], "max_queries": 0}  # type: ignore[dict-item]
    text = render(run(result(*made.measurements, spec={**made.spec, "adversary": adversary})))
    marked = "| 1.4 | 1.4 [0.9, 2] n=40 | the owner's view, outside the query budget |"
    assert f"| exposure | – | 9 [8, 9.9] n=40 {marked}" in text


def test_results_are_gathered_into_audits() -> None:
    """The title is the verdict; each audit says what was asked and what to do."""
    text = render(whole_run())
    assert text.startswith("# 2 of 6 audits found a leak; 2 are inconclusive; 1 part of the run failed\n")
    assert text.count("\n## ") == 6 + 2
    assert text.count("### What to do about it") == 6
    assert "## 1. tagger: can secrets in its training texts be read out, given its weights?" in text
    assert "- Secrets: 40 made-up secrets, each planted 10 times" in text
    assert text.index("### discrete-search, no defence") < text.index("### soft-token, deduplication (copies 1)")
    assert SECRET not in text


def test_secrets_are_shown_on_request_alone() -> None:
    """Those of one result, in its section, with nothing that breaks the table or hides in it."""
    made = leaking()
    text = render(run(made, silent("soft-token")), revealed_of(made))
    assert text.index("shows secrets in plain words") < text.index("Findings:")
    assert text.count("**Secrets in plain words**") == 1
    (first,) = (line for line in text.splitlines() if line.startswith("| a-1 |"))
    assert f"| {SECRET} | north | wrong |" in first
    assert "\\<script\\>" in first
    assert "a\\|b" in first
    assert "\u202e" not in text
    assert text.index("| a-1 |") < text.index("| c-1 |")


def test_findings_come_gravest_first() -> None:
    """One line each: how grave, what, the figure, what to do, where it is catalogued."""
    lines = render(grown_run()).splitlines()
    found = [line for line in lines if line.startswith("- **") and "What to do:" in line]
    assert [line.split("**")[1] for line in found] == [
        *("critical", "high", "medium", "medium", "medium", "unclear", "none", "none")
    ]
    assert found[0].startswith(
        "- **critical** (leak): private: its privacy claim is refuted. label-likelihood: epsilon"
    )
    assert (
        "Standards: OWASP LLM02:2025, MITRE ATLAS AML.T0024.001, EDPB opinion 28/2024; see docs/standards.md."
        in found[1]
    )
    assert lines.index(found[0]) < lines.index("What was asked:")


def test_points_are_in_a_table_of_their_own() -> None:
    """Not among the figures, nor in how to read them; records are listed by id."""
    text = render(run(of_records()))
    assert "| tpr |" not in text
    assert "- **tpr**" not in text
    assert "| wrongly accused | the attack | without the model |" in text
    assert "| r-0000 | 100" in text
    assert "trained on above one that was not" in text  # the AUC of records, not of people


def test_a_claim_is_not_among_the_figures_of_utility() -> None:
    """It is told where epsilon is."""
    text = render(run(with_epsilon(3.21, 2.0)))
    assert "| epsilon |" not in text
    assert "**The claim is refuted:" in text
