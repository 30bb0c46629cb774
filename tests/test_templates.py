"""Tests of the files that `divulge init` gives: each runs as it is, and finds what there is to find."""

from __future__ import annotations

from importlib import resources

import pytest

from divulge.auditing.planning import plan
from divulge.auditing.reading import read_checked
from divulge.cli.listing import KINDS, TEMPLATES
from divulge.report.findings import finding
from divulge.runs import run_specs
from divulge.store import Store

# Small enough for a test; as many secrets and controls as a finding needs.
SMALL = {
    "tagger": ["data.options.size=100", "secrets.pattern=my pin at <place*3> is {digit*2}", "secrets.decoys=50"],
    "classifier": [
        "data.options.size=200",
        "secrets.pattern=ticket <place*5> code {letter*2}",
        "secrets.decoys=50",
        "adversary.background.corpus.options={size=100, seed=1}",
    ],
    "own-classifier": [
        "data.options.size=200",
        "adversary.background.corpus.options={size=100, seed=1}",
        "run.models=10",
    ],
    "own-callable": [
        "data.options.size=400",
        "target.recipe.arguments.size=400",
        "secrets.count=40",
        "secrets.controls=40",
    ],
    "person": [
        "data.options={users=100, texts=4, held_out=80}",
        "target.recipe.arguments={users=100, texts=4, held_out=80}",
        "secrets.person=user-17",
        "secrets.controls=19",
        "adversary.background={controls=39, shadows=1, target={kind='fake-generator'}}",
    ],
    "deletion": ["data.options.size=400", "secrets.decoys=200", "attacks.0.options.beam=1"],
    "generator": ["data.options={users=120, texts=4}", "secrets.count=30", "secrets.controls=30"],
    "embeddings": [
        "data.options.size=60",
        "secrets.count=40",
        "adversary.background.corpus.options={size=400, seed=1}",
    ],
}
NEVER_ASKS = {"blind"}
OWN = {"own-classifier", "own-callable", "person"}  # these ask code beside the audit file, by default some of ours
TRAINED = {"deletion"}  # a model is trained, of which something can be deleted again
STAND_INS = [kind for kind in TEMPLATES if kind not in OWN | TRAINED]


@pytest.fixture(params=TEMPLATES)
def kind(request):
    """One of the templates."""
    return request.param


@pytest.fixture
def path(kind):
    """Its file."""
    with resources.as_file(resources.files("divulge") / "templates" / f"{kind}.toml") as found:
        yield found


def test_every_template_is_a_file_and_every_file_a_template():
    """Nothing is left over."""
    names = {one.name for one in (resources.files("divulge") / "templates").iterdir()}
    assert names == {"demo", *(f"{kind}.toml" for kind in KINDS)}


def test_a_template_passes_the_check_as_it_is(path):
    """Names, combinations and data."""
    assert len(plan(read_checked(path).specs()).planned) >= 1


def test_what_a_template_has_in_comments_is_valid_too(path, tmp_path):
    """Whoever removes the marks gets a file that passes; weaker accesses are named in words."""
    uncommented = tmp_path / "audit.toml"
    lines = path.read_text().splitlines()
    marked = ("# [[", "# name", "# options", "# knows_defence", "# max_queries")
    opened = [line.removeprefix("# ") if line.startswith(marked) else line for line in lines]
    assert opened != lines
    uncommented.write_text("\n".join(opened))
    file = read_checked(uncommented)
    assert file.defences
    plan(file.specs())


def test_the_template_for_own_classifiers_finds_the_leak(tmp_path):
    """The sample function weighs words and pairs of them: that is enough to give a canary away."""
    path = resources.files("divulge") / "templates" / "own-classifier.toml"
    results = run_specs(read_checked(path, SMALL["own-classifier"]).specs(), Store(tmp_path / "store"), workers=0)
    assert [finding(result).kind for result in results.results] == ["leak"]


@pytest.mark.parametrize(("leaks", "expected"), [(True, "leak"), (False, "none found")])
@pytest.mark.parametrize("name", ["own-callable", "person"])
def test_templates_with_a_sample_class_find_its_leak(name, leaks, expected, tmp_path):
    """The sample class knows its training texts, or the person, by heart, or does not."""
    path = resources.files("divulge") / "templates" / f"{name}.toml"
    settings = [*SMALL[name], f"target.recipe.arguments.leaks={str(leaks).lower()}"]
    results = run_specs(read_checked(path, settings).specs(), Store(tmp_path / "store"), workers=0)
    assert not results.failures
    assert [finding(result).kind for result in results.results] == [expected]


@pytest.mark.parametrize(
    ("defences", "expected"),
    [("[]", "leak"), ('[{name="unlearning", options={method="retrain"}}]', "none found")],
    ids=["kept", "retrained"],
)
def test_the_template_for_deletions_finds_the_trace_and_none_after_retraining(defences, expected, tmp_path):
    """As it is, nothing is deleted; with the defence in its comments, all is."""
    path = resources.files("divulge") / "templates" / "deletion.toml"
    settings = [*SMALL["deletion"], f"defences={defences}"]
    results = run_specs(read_checked(path, settings).specs(), Store(tmp_path / "store"), workers=0)
    assert not results.failures
    assert [finding(result).kind for result in results.results] == [expected]


@pytest.mark.parametrize("kind", STAND_INS, indirect=True)
@pytest.mark.parametrize("leaks", [True, False])
def test_a_template_finds_the_leak_and_finds_none_where_there_is_none(kind, path, leaks, tmp_path):
    """The stand-in that knows everything by heart is caught; the silent one is not accused."""
    settings = [*SMALL[kind], f"target.recipe.leaks={str(leaks).lower()}"]
    results = run_specs(read_checked(path, settings).specs(), Store(tmp_path / "store"), workers=0)
    assert not results.failures
    for result in results.results:
        asks = result.spec["attack"]["name"] not in NEVER_ASKS
        assert finding(result).kind == ("leak" if leaks and asks else "none found")
