"""Tests of policy.toml: what may stand in it, and that all that may not is told at once."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest

from divulge.errors import InputError
from divulge.gate.policy import Limit, Policy, read_policy

WHOLE = """
against = "runs/last"
[gate]
fail_on_leak = true
[[limits]]
metric = "success"
arm = "attack"
group = { k = 1 }
attack = "soft-token"
target = "tagger"
defences = []
below = 1
end = "value"
confidence = 0.9
at_least_n = 20
when_absent = "pass"
[[limits]]
metric = "exposure"
no_worse_by = 0.5
"""


@pytest.fixture
def read(tmp_path):
    """Reads a policy from text."""

    def reading(text: str, measured: tuple[str, ...] = ()) -> Policy:
        path = tmp_path / "policy.toml"
        path.write_text(text)
        return read_policy(path, measured)

    return reading


def test_everything_that_can_be_said_is_read(read):
    """Whole numbers are numbers."""
    policy = read(WHOLE)
    first, second = policy.limits
    assert (policy.against, policy.gate.fail_on_leak, policy.compares) == ("runs/last", True, True)
    assert (first.below, first.judged_end, dict(first.group), first.defences) == (1.0, "value", {"k": 1}, ())
    assert (second.confidence, second.at_least_n, second.when_absent, second.defences) == (
        0.95,
        10,
        "inconclusive",
        None,
    )


@pytest.mark.parametrize(
    ("limit", "end"),
    [
        (Limit(metric="exposure", below=10.0), "high"),
        (Limit(metric="hdt", above=0.5), "low"),
        (Limit(metric="test_accuracy", above=0.9), "low"),
        (Limit(metric="test_perplexity", below=50.0), "high"),
        (Limit(metric="hdt", no_worse_by=0.1), "high"),
        (Limit(metric="epsilon_lower_bound", below=8.0), "low"),
        (Limit(metric="epsilon_lower_bound", no_worse_by=1.0), "high"),
        (Limit(metric="trace", below=0.8), "high"),
        (Limit(metric="trace_p_value", above=0.05), "value"),
        (Limit(metric="trace_p_value", no_worse_by=0.1), "high"),
        (Limit(metric="exposure", below=10.0, end="low"), "low"),
    ],
)
def test_the_pessimistic_end_is_judged_unless_told_otherwise(limit, end):
    """A bound from below has no other end; of a change, the end where it is worst."""
    assert limit.judged_end == end


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (Limit(metric="exposure", below=10.0), "exposure: below 10, high end at 95 %"),
        (
            Limit(
                metric="success", arm="attack", group={"k": 1}, defences=(), above=None, below=0.25, confidence=0.999
            ),
            "success (k 1, attack, no defence): below 0.25, high end at 99.9 %",
        ),
        (Limit(metric="hdt", above=0.5, end="value", defences=("a", "b")), "hdt (a + b): above 0.5"),
        (
            Limit(metric="auc", no_worse_by=0.05, attack="x", target="y"),
            "auc (x, y): worse by at most 0.05, high end at 95 %",
        ),
    ],
)
def test_a_limit_says_what_it_requires(limit, said):
    """In one line."""
    assert limit.required == said


@pytest.mark.parametrize(
    ("limit", "arms"),
    [
        (Limit(metric="exposure", below=1.0), {"attack"}),
        (Limit(metric="exposure", below=1.0, arm="control"), {"control"}),
        (Limit(metric="test_accuracy", above=0.1), {"attack", "utility", "probe"}),
        (Limit(metric="of_my_own", above=0.1), {"attack", "utility", "probe"}),
        (Limit(metric="epsilon_lower_bound", below=1.0), {"attack", "utility", "probe"}),
    ],
)
def test_the_arm_is_the_attack_or_the_owners_own(limit, arms):
    """Baseline and control only by name."""
    assert {arm for arm in ("attack", "baseline", "control", "utility", "probe") if limit.takes_arm(arm)} == arms


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[limits]]\nmetric = "exposre"\nbelow = 1', r"'limits.0': unknown metric 'exposre'. Did you mean 'exposure'"),
        ('[[limits]]\nmetric = "test_acuracy"\nabove = 1', "Did you mean 'test_accuracy'"),
        ('[[limits]]\nmetric = "exposure"', "exactly one of below, above, no_worse_by. Got none"),
        ('[[limits]]\nmetric = "exposure"\nbelow = 1\nabove = 2', "exactly one of .* Got below and above"),
        ('[[limits]]\nmetric = "exposure"\nabove = 2', "exposure leaks when it is high: limit it with below"),
        ('[[limits]]\nmetric = "hdt"\nbelow = 0.5', "hdt leaks when it is low: limit it with above"),
        ('[[limits]]\nmetric = "exposure"\nbelow = "1"', "'limits.0.below'"),
        ('[[limits]]\nmetric = "exposure"\nbelow = inf', "'limits.0.below' is inf or nan"),
        ('[[limits]]\nmetric = "exposure"\nbelow = 1\nconfidence = 95', "'limits.0.confidence'"),
        ('[[limits]]\nmetric = "exposure"\nbelow = 1\nconfidence = 0.4', "'limits.0.confidence'"),
        ('[[limits]]\nmetric = "exposure"\nbelow = 1\nat_least_n = 0', "'limits.0.at_least_n'"),
        ('[[limits]]\nmetric = "exposure"\nno_worse_by = -1', "'limits.0.no_worse_by'"),
        ('[[limits]]\nmetric = "exposure"\nbelow = 1\nend = "upper"', "'limits.0.end'"),
        ('[[limits]]\nmetric = "exposure"\nbelow = 1\narm = "atack"', "'limits.0.arm'"),
        ('[[limits]]\nmetric = "exposure"\nbellow = 1', "unknown key 'limits.0.bellow'. Did you mean 'below'"),
        ("[[limits]]\nbelow = 1", "'limits.0.metric' is missing"),
        ('[[limit]]\nmetric = "exposure"\nbelow = 1', "unknown key 'limit'. Did you mean 'limits'"),
        ('[limits]\nmetric = "exposure"\nbelow = 1', "'limits'"),
        ("[gate]\nfail_on_leak = false", "the policy has no limit: add"),
        ("limits = []", "the policy has no limit"),
        ("", "is empty"),
        ("limits = [", "is not TOML"),
    ],
)
def test_what_is_wrong_is_refused_in_words(read, text, said):
    """What was found, and what is allowed."""
    with pytest.raises(InputError, match=said):
        read(text)


def test_all_problems_are_told_at_once(read):
    """Unknown metrics beside wrong values and unknown keys."""
    text = '[[limits]]\nmetric = "exposre"\nbelow = 1\n[[limits]]\nmetric = "auk"\nbelow = "x"\n[gate]\nleak = true'
    with pytest.raises(InputError) as error:
        read(text)
    assert len(error.value.problems) == 4
    assert [place in str(error.value) for place in ("limits.0", "limits.1", "limits.1.below", "gate.leak")] == [
        True
    ] * 4


def test_a_file_that_is_not_there_is_the_callers_mistake(tmp_path):
    """And says how to get one."""
    with pytest.raises(InputError, match="cannot be read.*divulge init"):
        read_policy(tmp_path / "absent.toml")


def test_a_figure_of_ones_own_probe_is_known_by_the_run(read):
    """Only by a run that holds it."""
    text = '[[limits]]\nmetric = "my_score"\nabove = 0.5'
    assert read(text, ("my_score",)).limits[0].metric == "my_score"
    with pytest.raises(InputError, match="unknown metric 'my_score'"):
        read(text)


def test_a_leak_alone_may_be_the_policy(read):
    """Without any figure."""
    assert read("[gate]\nfail_on_leak = true").limits == ()


def test_the_template_is_a_policy_also_with_its_comments_opened(tmp_path):
    """Whoever removes the marks gets a policy that passes."""
    text = (resources.files("divulge") / "templates" / "policy.toml").read_text(encoding="utf-8")
    (tmp_path / "policy.toml").write_text(text)
    assert read_policy(tmp_path / "policy.toml").gate.fail_on_leak
    marked = ("# [[", "# metric", "# above", "# no_worse_by", "# against", "# when_overlapping")
    opened = [line.removeprefix("# ") if line.startswith(marked) else line for line in text.splitlines()]
    (tmp_path / "policy.toml").write_text("\n".join(opened))
    policy = read_policy(tmp_path / "policy.toml")
    assert policy.against == "runs/last"
    assert [limit.metric for limit in policy.limits if limit.no_worse_by] == ["exposure"]


def test_what_the_guide_shows_is_a_policy(read):
    """Every block of TOML on its page."""
    page = (Path(__file__).parents[2] / "docs" / "guides" / "ci-gate.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```$", page, flags=re.M | re.S)
    assert [len(read(block).limits) for block in blocks] == [3, 1]
