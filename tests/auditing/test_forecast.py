"""Tests of what is told before a run: tasks, time, queries, power."""

from __future__ import annotations

import math

import pytest
from tests.auditing.sample import attacking, specs_of

from divulge.auditing.cautions import strange_label
from divulge.auditing.forecast import forecast
from divulge.auditing.planning import plan
from divulge.records import Artefact
from divulge.runs import run_specs


def told(store, *args):
    """The forecast of a small audit, changed."""
    return forecast(plan(specs_of(*args)), store)


def spec_told(store, *args):
    """Its first spec."""
    return told(store, *args).specs[0]


def test_tasks_are_counted_by_kind_in_the_order_of_working(store):
    """Nothing is there yet, and nobody knows how long it takes."""
    found = told(store, "canaries", 'attacks=[{name="label-likelihood"}, {name="soft-token"}]')
    assert [(row.kind, row.tasks, row.cached, row.seconds) for row in found.tasks] == [
        ("train-target", 1, 0, None),
        ("prepare", 2, 0, None),
        ("attack", 2, 0, None),
        ("probe", 1, 0, None),
        ("measure", 2, 0, None),
    ]


def test_time_is_what_such_tasks_took_before_times_those_left(store):
    """Attacks took 2 s and 4 s: 3 s each, and two are left, so 6 s."""
    for number, seconds in enumerate((2.0, 4.0)):
        store.put(f"{number:064x}", Artefact(), {"kind": "attack", "label": "", "seconds": seconds})
    found = told(store, "canaries", 'attacks=[{name="label-likelihood"}, {name="soft-token"}]')
    assert {row.kind: row.seconds for row in found.tasks} == {
        "train-target": None,
        "prepare": None,
        "attack": 6.0,
        "probe": None,
        "measure": None,
    }


def test_time_is_that_of_the_same_part_where_it_is_known(store):
    """A quick attack is not forecast by a slow one: 1 s for the known one, the mean of 1 and 9 s for the other."""
    for number, (label, seconds) in enumerate([("fake-classifier with soft-token", 1.0), ("another", 9.0)]):
        store.put(f"{number:064x}", Artefact(), {"kind": "attack", "label": label, "seconds": seconds})
    found = told(store, "canaries", 'attacks=[{name="label-likelihood"}, {name="soft-token"}]')
    row = next(row for row in found.tasks if row.kind == "attack")
    assert (row.seconds, row.borrowed) == (1.0 + 5.0, 1)


def test_time_is_told_by_engine_and_workers(store):
    """Five kinds at 2 s: one after another on one worker; on a cluster attacks and probes wait for the model only."""
    for number, kind in enumerate(("train-target", "prepare", "attack", "probe", "measure")):
        store.put(f"{number:064x}", Artefact(), {"kind": kind, "label": "", "seconds": 2.0})
    found = {(one.engine, one.workers): one.seconds for one in told(store, "canaries").times}
    assert found["local", 1] == 10.0  # 5 tasks of 2.005 s
    assert found["ray", 64] == 6.1  # the model, the attack, the measure: 3 of 2.02 s


def test_what_is_done_is_cached_and_costs_nothing(store):
    """After a run nothing is left; after other decoys, the model and its utility still are there."""
    run_specs(specs_of("canaries"), store, workers=0)
    assert {(row.kind, row.cached, row.seconds) for row in told(store, "canaries").tasks} == {
        (kind, 1, 0.0) for kind in ("train-target", "prepare", "attack", "probe", "measure")
    }
    again = {row.kind: row.cached for row in told(store, "canaries", "secrets.decoys=30").tasks}
    assert again == {"train-target": 1, "prepare": 1, "attack": 0, "probe": 1, "measure": 0}


@pytest.mark.parametrize(
    ("settings", "queries"),
    [
        # Two digits: 10 questions for the first, 10 x 10 for the second, for each of 6 secrets.
        ((), 660),
        (("attacks.0.options.beam=3",), 6 * (10 + 3 * 10)),
        (("adversary.max_queries=300",), 300),
        (("adversary.max_queries=5000",), 660),
        ((attacking("random"),), 0),
        (("attacks=[]",), 0),
        ((attacking("Spender"),), None),  # it does not tell
        ((attacking("Spender"), "adversary.max_queries=50"), 50),
    ],
)
def test_queries_are_estimated_up_to_the_budget(store, settings, queries):
    """What the attack says it costs per secret, if it says so."""
    assert spec_told(store, "canaries", *settings).queries == queries


def test_people_cost_one_query_per_text(store):
    """16 people of 3 texts each."""
    assert spec_told(store, "users").queries == 48


def test_the_power_of_canaries_is_worked_out(store):
    """Wilson's intervals by hand.

    None of 20: up to z^2 / (20 + z^2) = 3.8415 / 23.8415 = 0.161. A leak must lie beyond that, if no control of 20 is
    found either. 6 of 20: centre (0.3 + 0.0960) / 1.1921 = 0.3322, half 0.1867, so from 0.145: not enough.
    7 of 20: centre (0.35 + 0.0960) / 1.1921 = 0.3742, half 0.1930, so from 0.181: enough.
    """
    found = spec_told(store, "canaries", "secrets.count=20", "secrets.controls=20")
    assert (found.secrets, found.controls) == (20, 20)
    assert found.power == (
        "of 20 secrets none found still allows a rate up to 0.161",
        "a leak shows from 7 of 20 found on (chance 0.01 each, none of 20 controls)",
        "exposure up to 6.6 bits, where the decoys' scores bear extrapolation",  # log2(100) = 6.64
    )


def test_too_few_secrets_are_told_to_show_nothing(store):
    """1 of 1 found: from 1 / (1 + 3.84) = 0.207 on, which 0 of 1 controls allows, too (up to 0.793)."""
    found = spec_told(store, "canaries", "secrets.count=1", "secrets.controls=1")
    assert found.power[1] == "a leak shows not even by 1 of 1 found (chance 0.01 each, none of 1 controls)"


def test_without_controls_chance_is_what_a_leak_must_exceed(store):
    """1 of 6 found: Wilson from 0.030 on, beyond 0.01."""
    found = spec_told(store, "canaries", "secrets.controls=0")
    assert found.power[1] == "a leak shows from 1 of 6 found on (chance 0.01 each)"


def test_decoys_that_hold_all_completions_are_exact(store):
    """99 others of 100."""
    assert spec_told(store, "canaries", "secrets.decoys=99").power[2].endswith("bits, exact")
    assert spec_told(store, "canaries", "secrets.decoys=98").power[2].endswith("bear extrapolation")


def lowest_area(area: float, members: int, others: int) -> float:
    """Newcombe's lower end, slowly: the least area that is within 1.96 of its own standard errors of the one found."""
    size = (members + others) / 2
    for step in range(1, 10_000):
        low = step / 10_000
        shape = 1 + (size - 1) * ((1 - low) / (2 - low) + low / (1 + low))
        error = math.sqrt(low * (1 - low) * shape / (members * others))
        if area - low <= 1.96 * error:
            return low
    return 1.0


def test_the_power_of_people_is_the_least_area_beyond_baseline_and_control(store):
    """8 members and 8 others against 8 controls, 4 of them called members: by a slow search, hundredth by hundredth."""
    edge = 1 - lowest_area(0.5, 4, 4)
    least = next((area / 100 for area in range(50, 101) if lowest_area(area / 100, 8, 8) > edge), None)
    assert least is None
    assert spec_told(store, "users").power == (
        "a leak shows not even by an AUC of 1 (8 members, 8 others)",
        "TPR at 1 % FPR needs 100 people known to be out; there are 8",
    )


def test_more_people_show_more(store):
    """40 of each kind: the same search finds an area."""
    edge = 1 - lowest_area(0.5, 20, 20)
    least = next(area / 100 for area in range(50, 101) if lowest_area(area / 100, 40, 40) > edge)
    settings = ("data.options={users=90, texts=1}", "secrets.count=40", "secrets.controls=40")
    assert spec_told(store, "users", *settings).power[0] == (
        f"a leak shows from an AUC of {least:.2f} on (40 members, 40 others)"
    )


def test_rows_have_a_rate_and_no_exposure(store):
    """12 rows: z^2 / (12 + z^2) = 3.8415 / 15.8415 = 0.242."""
    assert spec_told(store, "rows").power == ("of 12 secrets none found still allows a rate up to 0.242",)


def test_without_an_attack_there_is_no_power(store):
    """Probes are about the model, not about secrets."""
    found = spec_told(store, "canaries", "attacks=[]")
    assert (found.attack, found.power) == (None, ())


def test_people_known_to_be_out_cost_queries_too(store):
    """Ten controls like the others add, per control, the mean cost of a secret."""
    settings = ("attacks=[{name='rank-histogram'}]",)
    with_none, with_some = (
        forecast(plan(specs_of("users", *settings, f"adversary.background.controls={count}")), store).specs[0]
        for count in (0, 4)
    )
    assert with_some.queries == with_none.queries + math.ceil(4 * with_none.queries / with_none.secrets)


def test_what_would_keep_a_leak_from_being_called_one_is_said_beforehand(store):
    """No controls, or fewer than ten secrets: both warned about, each with what to set."""
    bare = spec_told(store, "canaries", "secrets.count=9", "secrets.controls=0").power
    assert "warning: without controls no leak can be told from luck: set secrets.controls" in bare
    assert "warning: fewer than 10 secrets show nothing either way: raise secrets.count or run.models" in bare
    full = spec_told(store, "canaries", "secrets.count=10", "secrets.controls=1").power
    assert not [line for line in full if line.startswith("warning: ") and "share" not in line]


def test_only_an_attack_that_scores_is_promised_exposure(store):
    """Soft-token ranks nothing but its own restarts."""
    silent = spec_told(store, "canaries", 'attacks=[{name="soft-token"}]').power
    assert not [line for line in silent if "exposure" in line]


def test_a_label_much_like_one_of_the_data_is_asked_about(store):
    """A slip makes a class of canaries alone; a label of its own, unlike any other, is a choice."""
    (slip,) = plan(specs_of("canaries", "secrets.label=play_musik")).planned
    (own,) = plan(specs_of("canaries", "secrets.label=PinIntent")).planned
    assert "Is 'play_music' meant?" in (strange_label(slip) or "")
    assert strange_label(own) is None
    assert any(
        "Is 'play_music' meant?" in line for line in spec_told(store, "canaries", "secrets.label=play_musik").power
    )


def test_very_many_queries_are_warned_of(store):
    """Before hours are spent."""
    many = spec_told(store, "canaries", 'secrets.pattern="my pin at <name*2> is {digit*6}"', "secrets.count=100")
    assert any("queries may take long" in line for line in many.power)
    assert not any("may take long" in line for line in spec_told(store, "canaries").power)


def test_what_may_be_asked_several_times_is_warned_of(store):
    """Of labels alone: each text by itself and in 5 rounds of 8 versions. A budget bounds it."""
    attack, labels = attacking("calibrated-likelihood"), 'adversary.access=["LabelAccess"]'

    def warned(*settings):
        found = [line for line in spec_told(store, "canaries", attack, *settings).power if "times as many" in line]
        return [line.split(",")[0] for line in found]

    assert warned(labels) == ["warning: up to 41 times as many queries"]
    assert warned() == warned(labels, "adversary.max_queries=90") == []
