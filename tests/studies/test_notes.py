"""The note column."""

from divulge.records import Measurement
from divulge.studies.notes import accountant_note, attack_note, joined, probe_note


def test_a_note_says_what_n_counts() -> None:
    """Canaries, users and sentences are named; one model is not called many."""
    assert attack_note("attack", "canaries", models=1, planned=1) == "n = canaries of 1 model"
    assert attack_note("attack", "users", models=2, planned=2) == "n = users of 2 models; interval clustered by model"
    assert attack_note("control", "rows", models=3, planned=3, averaged=True) == (
        "n = sentences of 3 models; mean over models"
    )


def test_secrets_asked_of_several_models_are_said_to_be_counted_once() -> None:
    """The reader is told what the interval allows for."""
    assert attack_note("attack", "rows", models=5, planned=5, repeated=True) == (
        "n = distinct sentences of 5 models; interval clustered by model and by sentences"
    )
    assert attack_note("attack", "rows", models=5, planned=5, repeated=True, averaged=True) == (
        "n = distinct sentences of 5 models; mean over models"
    )


def test_chance_in_closed_form_is_said_of_the_baseline_only() -> None:
    """The other arms were measured."""
    assert "closed form" in attack_note("baseline", "canaries", models=2, planned=2, closed_form=True)
    assert "closed form" not in attack_note("attack", "canaries", models=2, planned=2, closed_form=True)


def test_what_is_missing_or_broken_is_said() -> None:
    """A reader must not take part of the models for all, nor a broken access for a safe one."""
    said = attack_note("attack", "users", models=2, planned=3, failed_checks=["A: x", "A: x"])
    assert "1 of 3 models missing" in said
    assert said.count("A: x") == 1
    assert "handshake failed" in said


def test_probes_are_tried_on_texts() -> None:
    """Their n is of another kind."""
    assert probe_note(1, 1) == "n = people, texts or queries tried on 1 model"
    assert probe_note(2, 3) == "n = people, texts or queries tried on 2 models; mean over models; 1 of 3 models missing"


def test_notes_are_joined_once_each() -> None:
    """Empty and repeated ones fall away, the order stays."""
    assert joined(["b", "", " a ", "b"]) == "b; a"


def test_an_accountants_epsilon_says_what_it_is_about() -> None:
    """Of one copy, at a delta; other figures say nothing of the kind."""
    epsilon = Measurement(metric="epsilon", value=2.5, n=900, arm="probe", group={"delta": 1e-5})
    said = accountant_note(epsilon)
    assert said is not None
    assert "delta 1e-05" in said
    assert "of one copy of one text" in said
    person = accountant_note(epsilon.model_copy(update={"group": {"delta": 1e-4, "unit": "user"}}))
    assert person == "n = users trained on; delta 0.0001; of one person with all texts"
    assert accountant_note(Measurement(metric="slot_f1", value=0.9, n=10, arm="utility")) is None
    assert accountant_note(Measurement(metric="epsilon", value=2.5, n=900, arm="probe")) is None
