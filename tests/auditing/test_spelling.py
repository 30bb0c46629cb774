"""Parts as pure data: every option is in the spelling, and another file at the same path is another model."""

from __future__ import annotations

from pathlib import Path

from divulge.access import LabelAccess, TopLabelAccess
from divulge.attacks.calibrated_likelihood import CalibratedLikelihood
from divulge.attacks.label_likelihood import LabelLikelihood
from divulge.auditing.spelling import (
    all_spelt,
    defences_of,
    obfuscator_spelt,
    revisions_at,
    revisions_of,
    spelt,
    spelt_secrets,
    spelt_target,
    vocabularies_spelt,
)
from divulge.data.obfuscation.paraphrase import Paraphraser
from divulge.defences.rounding import Rounding
from divulge.spec import SecretsSpec
from divulge.testing.classifier import FakeClassifier
from divulge.vocabularies import fingerprint_of


def test_a_part_is_its_class_and_all_its_options() -> None:
    """Defaults included: a changed default makes another key."""
    assert spelt(Rounding({"decimals": 3})) == {
        "class": "divulge.defences.rounding:Rounding",
        "options": {"decimals": 3},
    }
    assert [one["class"].rpartition(":")[2] for one in all_spelt([LabelLikelihood(), Rounding()])] == [
        "LabelLikelihood",
        "Rounding",
    ]


def test_a_target_without_a_path_has_no_files() -> None:
    """Its recipe says it all."""
    found = spelt_target("fake-classifier", FakeClassifier({"leaks": False}))
    assert found["files"] == []
    assert found["recipe"]["leaks"] is False


def test_only_fitted_defences_are_picked() -> None:
    """By their role."""
    assert defences_of({"target": "1", "defence 0": "2", "defence 1": "3"}) == {"defence 0": "2", "defence 1": "3"}


def test_revisions_name_each_class_once(tmp_path: Path) -> None:
    """Parts of the package have no source number; a mended one raises its revision."""
    del tmp_path
    assert revisions_of([Rounding(), Rounding()]) == {"divulge.defences.rounding:Rounding": Rounding.revision}


def test_the_words_of_a_tokenizer_are_in_the_key(tmp_path: Path) -> None:
    """By their hash, of every family; secrets that name none are spelt as ever."""
    (tmp_path / "vocab.txt").write_text("tea\nant\n")
    named = {"word": f"whole-words:{tmp_path}", "fruit": ["fig", "lime"]}
    spec = SecretsSpec(pattern="{word}", candidates=named)
    assert spelt_secrets(spec)["vocabularies"] == {str(tmp_path): fingerprint_of(str(tmp_path))}
    families = SecretsSpec(families={"a": {"pattern": "{word}", "candidates": named}})
    assert vocabularies_spelt(families) == vocabularies_spelt(spec)
    before = spelt_secrets(spec)
    (tmp_path / "vocab.txt").write_text("tea\nant\nbeans\n")
    assert spelt_secrets(spec) != before
    assert set(spelt_secrets(SecretsSpec(pattern="{digit}"))) == {"spec", "file"}


def test_the_version_of_an_obfuscator_is_in_the_key(monkeypatch) -> None:
    """Unless training is meant, which knows nothing of it; secrets without one are spelt as ever."""
    spec = SecretsSpec(kind="users", obfuscation="words")
    before = spelt_secrets(spec)
    assert set(before) == {"spec", "file", "obfuscator"}
    monkeypatch.setattr(Paraphraser, "version", lambda self: "another")
    assert spelt_secrets(spec) == {**before, "obfuscator": "another"}
    assert set(spelt_secrets(spec, without={"obfuscation"})) == {"spec", "file"}
    assert set(spelt_secrets(SecretsSpec(kind="users"))) == {"spec", "file"}
    assert obfuscator_spelt(SecretsSpec(kind="users")) is None


def test_a_revision_at_one_level_counts_where_that_is_all() -> None:
    """What is found with more than the label was not changed by it, and other attacks have none."""
    named = "divulge.attacks.calibrated_likelihood:CalibratedLikelihood at LabelAccess"
    number = CalibratedLikelihood.revisions_at[LabelAccess]
    assert revisions_at(CalibratedLikelihood(), (LabelAccess,)) == {named: number}
    assert revisions_at(CalibratedLikelihood(), (TopLabelAccess,)) == {}
    assert revisions_at(CalibratedLikelihood(), (LabelAccess, TopLabelAccess)) == {}
    assert revisions_at(LabelLikelihood(), (LabelAccess,)) == {}
