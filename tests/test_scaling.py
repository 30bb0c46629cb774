"""Tests of what studies are said to cost."""

from __future__ import annotations

import json

import pytest
from benchmarks import scaling
from benchmarks.scaling import SETTINGS, cost_of, filled, main, never_measured, spent, tables, times_as_much
from benchmarks.task_work import PRIVATE, Works

from divulge.auditing.timing import Costs
from divulge.auditing.unpacking import practice_case_of
from divulge.graph import Graph, Task
from divulge.store import Entry, Store
from divulge.studies import study_named
from divulge.studies.planning import plan_study

HOUR = 3600.0


def graph_of(models):
    """Models with one attack each."""
    graph = Graph()
    for number in range(models):
        model = graph.add(Task(kind="train-target", label="tagger", payload={"n": number}))
        graph.add(Task(kind="attack", label="beam", payload={"n": number}, needs={"target": model}))
    return graph


def entry(kind, label, seconds):
    """A line of a store's listing."""
    return Entry("ab" * 32, kind, 1, 0.0, label, seconds)


def test_hours_are_work_over_workers():
    """32 models of 3 h and attacks of 1 h: 128 core hours; 64 h on two cores, 8 h on 16, 4 h where all run at once."""
    found = cost_of(graph_of(32), Costs([entry("train-target", "tagger", 3 * HOUR), entry("attack", "beam", HOUR)]))
    assert (found["tasks"], found["unknown"]) == (64, [])
    assert found["core_hours"] == pytest.approx(128)
    assert found["longest_chain_hours"] == pytest.approx(4)
    assert found["this machine"] == pytest.approx(64, rel=0.01)
    assert found["8 nodes"] == pytest.approx(8, rel=0.01)
    assert found["64 nodes"] == pytest.approx(4, rel=0.01)
    assert found["8 nodes, GPU"] == pytest.approx(128 / 8 / 10, rel=0.01)  # ten times as quick, on eight cards


def test_what_was_never_measured_is_not_guessed():
    """No hours at all, and the parts that are missing by name."""
    found = cost_of(graph_of(2), Costs([entry("attack", "beam", 1.0), entry("train-target", "another", 1.0)]))
    assert found["unknown"] == ["train-target (tagger)"]
    assert {found["core_hours"], *(found[name] for name in SETTINGS)} == {None}


def test_what_was_measured_before_counts_on():
    """A mean of more tasks stays, one of as many is replaced, a new one is added; without seconds it is no task."""
    before = [
        {"kind": "attack", "label": "beam", "n": 3, "seconds": 9.0},
        {"kind": "train-target", "label": "tagger", "n": 1, "seconds": 50.0},
    ]
    new = [("attack", "beam", 1.0), ("attack", "beam", 2.0), ("train-target", "tagger", 70.0), ("probe", "tags", 4.0)]
    found = spent([*(entry(*one) for one in new), entry("study", "s", None)], before)
    assert [(one["label"], one["n"], one["seconds"]) for one in found] == [
        ("beam", 3, 9.0),
        ("tags", 1, 4.0),
        ("tagger", 1, 70.0),
    ]


def test_what_was_measured_is_told_with_what_it_had_to_do():
    """By key; where a key is not planned any more, what was known before, or what such tasks are planned to do."""
    known, other = "ab" * 32, "cd" * 32
    done = [Entry(known, "attack", 1, 0.0, "beam", 2.0), Entry(other, "train-practice", 1, 0.0, "shadow 1 of x", 5.0)]
    before = [{"kind": "train-practice", "label": "shadow 0 of x", "n": 1, "seconds": 9.0}]
    found = spent(done, before, {known: 30.0})
    assert [(one["label"], one["seconds"], one["work"]) for one in found] == [
        ("beam", 2.0, 30.0),
        ("shadow of x", 5.0, None),
    ]
    assert [one["work"] for one in filled(found, {("train-practice", "shadow of x"): 7.0})] == [30.0, 7.0]


def test_seconds_of_the_processor_are_taken_where_they_are_known():
    """What a task took on a busy machine is not what it costs: of those of which only that is known, none counts."""
    done = [
        Entry("ab" * 32, "attack", 1, 0.0, "beam", 90.0, 30.0),
        Entry("cd" * 32, "attack", 1, 0.0, "beam", 10.0),
        Entry("ef" * 32, "attack", 1, 0.0, "beam", 50.0, 40.0),
        Entry("ab" * 32, "probe", 1, 0.0, "tags", 10.0),
    ]
    assert [(one["n"], one["seconds"]) for one in spent(done)] == [(2, 35.0), (1, 10.0)]


def test_seconds_grow_with_what_there_is_to_do():
    """Of a study at two scales, tasks that learn more words, or ask more, are told to take longer in proportion."""
    study = study_named("song2019/references")
    works = Works()
    tasks = {task.kind: task for task in plan_study(study, "smoke").plan.graph if "rank-histogram" in task.label}
    tasks["train-target"] = next(t for t in plan_study(study, "smoke").plan.graph if t.kind == "train-target")
    train = tasks["train-target"]
    payload = json.loads(json.dumps(train.model_dump(mode="json")["payload"]))
    twice = {**payload, "target": {**payload["target"], "recipe": {**payload["target"]["recipe"], "epochs": 20}}}
    longer = Task(kind="train-target", label=train.label, payload=twice)
    assert payload["target"]["recipe"]["epochs"] == 10
    assert works.of(longer) == pytest.approx(2 * works.of(train))
    # Six people of eight texts, ten epochs; texts have more than one word.
    assert works.of(train) > 6 * 8 * 10
    # Six members, six others, and these again as controls: all texts of everybody.
    assert works.of(tasks["attack"]) == (12 + 6) * 8
    assert works.of(tasks["measure"]) is None
    means = [{"kind": "train-target", "label": train.label, "n": 1, "seconds": HOUR, "work": works.of(train)}]
    graph = Graph()
    graph.add(longer)
    factor = times_as_much(means, works)
    assert cost_of(graph, Costs([entry("train-target", train.label, HOUR)]), factor)["core_hours"] == pytest.approx(2)
    unknown = times_as_much([{**means[0], "work": None}], works)
    assert unknown(longer) == 1.0


def trained(corpus, kind="text-generator", **recipe):
    """A training on made-up users, none of whom is left out."""
    payload = {"target": {"kind": kind, "recipe": recipe}, "data": corpus, "secrets": None, "seed": 0}
    return Task(kind="train-target", label=kind, payload=payload)


def test_rounds_read_the_texts_of_the_users_drawn():
    """Half of the users in each of four rounds are two epochs; with two of their eight texts, half of one."""
    works = Works()
    graph = plan_study(study_named("song2019/references"), "smoke").plan.graph
    data = next(task.payload["data"] for task in graph if task.kind == "train-target")
    plain = works.of(trained(data, epochs=1))
    rounds = {"rounds": 4, "user_rate": 0.5, "local_texts": None}
    assert works.of(trained(data, epochs=1, federated=rounds)) == pytest.approx(2 * plain)
    assert works.of(trained(data, epochs=1, federated={**rounds, "local_texts": 2})) == pytest.approx(0.5 * plain)
    assert works.of(trained(data, epochs=1, federated={**rounds, "local_texts": 99})) == pytest.approx(2 * plain)


@pytest.mark.parametrize("name", ["song2019/references", "song2019/table3"])
def test_preparing_asks_about_the_people_of_every_own_model(name):
    """Counted model by model, with nothing left out; what these models were trained on is not read again."""
    graph = plan_study(study_named(name), "smoke").plan.graph
    asking = [one for one in graph if one.kind == "prepare" and len(one.payload["own"]) > 1]
    assert asking
    assert any(one.payload["background"] for one in asking) == (name == "song2019/table3")
    for task in asking:
        people = [len(practice_case_of(task.payload["practice"], one).secrets) for one in task.payload["own"]]
        assert min(people) > 0
        assert Works().of(task) == sum(people)


def test_private_words_cost_more():
    """As many times as was measured for that target; of one that was not measured, no more."""
    works = Works()
    graph = plan_study(study_named("song2019/references"), "smoke").plan.graph
    data = next(task.payload["data"] for task in graph if task.kind == "train-target")
    for kind, times in (("nlu-tagger", PRIVATE["nlu-tagger"]), ("another", 1.0)):
        plain, private = (works.of(trained(data, kind, epochs=2, noise=noise)) for noise in (None, 1.0))
        assert private == pytest.approx(times * plain)
    assert PRIVATE["nlu-tagger"] > 1


def test_one_task_of_each_sort_is_measured():
    """The first of those of which nothing is known; what is known is not done again."""
    graph = graph_of(3)
    train, attack = (next(task.key for task in graph if task.kind == kind) for kind in ("train-target", "attack"))
    assert never_measured(graph, Costs([])) == (train, attack)
    assert never_measured(graph, Costs([entry("train-target", "tagger", 1.0)])) == (attack,)


def test_what_is_measured_fills_the_table(tmp_path, capsys):
    """Of a study of many tasks one of each sort is run, and its hours are told."""
    store = Store(tmp_path / "store")
    places = ["--to", str(tmp_path / "scaling.json"), "--spent", str(tmp_path / "spent.json")]
    asked = ["worlds/ladder", "--scale", "smoke", "--store", store.location, *places]
    assert main([*asked, "--measure", "smoke", "--workers", "0"]) == 0
    found = json.loads((tmp_path / "scaling.json").read_text())["worlds/ladder"]
    assert found["unknown"] == []
    assert found["core_hours"] > 0
    done = [one for one in store.entries() if one.seconds is not None]
    assert len({(one.kind, one.label) for one in done}) <= len(done) < found["tasks"]
    assert main([*asked, "--measure", "smoke", "--workers", "0"]) == 0
    assert "worlds/ladder: 0 tasks to be measured" in capsys.readouterr().out


def test_studies_are_kept_one_by_one(tmp_path, monkeypatch, capsys):
    """What was there stays; a study that cannot be planned says why."""
    kept = tmp_path / "scaling.json"
    kept.write_text(json.dumps({"old/one": {"refused": "so"}}))
    store = Store(tmp_path / "store")
    places = ["--to", str(kept), "--spent", str(tmp_path / "spent.json")]
    assert main(["worlds/ladder", "--scale", "smoke", "--store", store.location, *places]) == 0
    assert main(["worlds/ladder-2", *places]) == 0
    found = json.loads(kept.read_text())
    assert set(found) == {"old/one", "worlds/ladder", "worlds/ladder-2"}
    assert found["worlds/ladder"]["tasks"] > 50
    assert "worlds/ladder-2" in found["worlds/ladder-2"]["refused"]
    capsys.readouterr()
    assert main(["tables", "--to", str(kept)]) == 0
    shown = capsys.readouterr().out
    assert "| old/one | cannot be planned: so |" in shown
    assert "not measured" in shown


def test_tables_show_hours_and_minutes():
    """Many hours without a fraction, few with one, less in minutes."""
    hours = dict(zip(["core_hours", *SETTINGS], [1234.5, 12.0, 1.25, 0.05, None], strict=True))
    one = {"tasks": 2000, "kinds": {"train-target": 3, "train-practice": 4, "attack": 1}, **hours}
    *_, line = tables({"a/study": one})
    assert line == "| a/study | 2,000 | 7 | 1,234 h | 12 h | 1.2 h | 3.0 min | not measured |"
    assert scaling.KEPT.name == "scaling.json"


def test_the_page_shows_what_is_kept():
    """Every line of the table is in docs/scaling.md."""
    kept = json.loads(scaling.KEPT.read_text(encoding="utf-8"))
    page = (scaling.KEPT.parents[2] / "docs" / "scaling.md").read_text(encoding="utf-8")
    assert len(kept) >= 4
    assert [line for line in tables(kept) if line not in page] == []
