"""Tests of divulge.data.searching."""

from __future__ import annotations

import json
import stat

import pytest

from divulge.data.cases import target_case
from divulge.data.files.own import read_own
from divulge.data.searching import SearchPlan, search_data
from divulge.data.secrets import read_secrets
from divulge.errors import EvidenceError, InputError
from divulge.spec import DataSpec, SecretsSpec

TEXTS = [f"dial 555 123 {number:04} now" for number in range(30)] + ["mail ada@example.org", "nothing here"]


def written(path, texts, **more):
    """A JSONL file of texts."""
    path.write_text("".join(json.dumps({"text": text, **more}) + "\n" for text in texts))
    return DataSpec(path=str(path))


@pytest.fixture
def data(tmp_path):
    """Texts with thirty telephone numbers and one address."""
    return written(tmp_path / "data.jsonl", TEXTS)


def test_found_secrets_are_kept_without_controls(data, tmp_path):
    """Nothing made up can stand for another person's secret; the file is the owner's, and an audit takes it."""
    out = tmp_path / "s.json"
    done = search_data(data, out, SearchPlan(("phone", "email", "card"), limit=10, decoys=20))
    assert [(one.pattern, one.found, one.kept, one.controls) for one in done.patterns] == [
        ("phone", 30, 10, 0),
        ("email", 1, 1, 0),
        ("card", 0, 0, 0),
    ]
    assert (done.kept, done.controls) == (11, 0)
    assert "There are no controls" in done.controls_are
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    corpus = read_own(data)
    case = target_case(SecretsSpec(file=str(out)), corpus, 0)
    assert (case.corpus, len(case.secrets), len(case.controls), case.plantings) == (corpus, 11, 0, ())
    texts = {" ".join(text.tokens) for text in corpus}
    assert all(" ".join(one.hint.filled(one.answer.tokens)) in texts for one in case.secrets)


def test_controls_come_from_held_out_data(data, tmp_path):
    """What was trained on too is none of them."""
    others = written(tmp_path / "other.jsonl", [*TEXTS[:5], "or 555 987 6543 then", "say 555 987 6544"])
    done = search_data(data, tmp_path / "s.json", SearchPlan(("phone",), held_out=others.path))
    controls = read_secrets(tmp_path / "s.json").controls
    assert sorted(one.answer.tokens for one in controls) == [("555", "987", "6543"), ("555", "987", "6544")]
    assert (done.kept, done.controls) == (30, 2)
    assert "which the model was not trained on" in done.controls_are


def test_controls_come_from_a_split(tmp_path):
    """Of the same data; the fingerprint is that of all of it."""
    rows = [{"text": f"pin {n} {n}", "split": "train" if n < 5 else "test"} for n in range(10)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    data = DataSpec(path=str(tmp_path / "a.jsonl"))
    done = search_data(data, tmp_path / "s.json", SearchPlan(("pin {digit*2}",), held_out="test"))
    content = read_secrets(tmp_path / "s.json", read_own(data).fingerprint)
    assert {one.answer.tokens[0] for one in content.secrets} == set("01234")
    assert {one.answer.tokens[0] for one in content.controls} == set("56789")
    assert done.kept == 5


def test_two_patterns_that_find_the_same_keep_it_once(data, tmp_path):
    """The first has it."""
    done = search_data(data, tmp_path / "s.json", SearchPlan(("email", r"regex:\S+@\S+", "email")))
    assert [(one.found, one.kept) for one in done.patterns] == [(1, 1), (1, 0)]
    assert len(read_secrets(tmp_path / "s.json").secrets) == 1


def test_nothing_found_writes_nothing(data, tmp_path):
    """The caller says so."""
    done = search_data(data, tmp_path / "s.json", SearchPlan(("card",)))
    assert done.kept == 0
    assert not (tmp_path / "s.json").exists()


def test_a_seed_finds_the_same_again(data, tmp_path):
    """Without one, other decoys are drawn and the ids are others."""
    names = ("a", "b", "c", "d")
    for name, seed in zip(names, (1, 1, None, None), strict=True):
        search_data(data, tmp_path / name, SearchPlan(("phone",), limit=3, decoys=5, seed=seed))
    contents = [(tmp_path / name).read_text() for name in names]
    assert contents[0] == contents[1]
    assert len(set(contents)) == 3


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({"patterns": ("emial",)}, "Did you mean 'email'"),
        ({"patterns": ("regex:[",)}, "cannot be read"),
        ({"patterns": ("pin {digt}",)}, "unknown candidate set"),
        ({"split": "fit"}, "no split 'fit' .* It has 'train'"),
        ({"held_out": "train"}, "is the split that the model was trained on"),
        ({"held_out": "nowhere"}, "neither a split of the data"),
    ],
)
def test_wrong_requests_are_refused(data, tmp_path, plan, said):
    """And nothing is written."""
    with pytest.raises(InputError, match=said):
        search_data(data, tmp_path / "s.json", SearchPlan(**{"patterns": ("phone",), **plan}))
    assert not (tmp_path / "s.json").exists()


def test_held_out_data_must_be_other_data_and_hold_something(data, tmp_path):
    """The data itself is none, and without controls nothing can be judged."""
    with pytest.raises(InputError, match="is the data itself"):
        search_data(data, tmp_path / "s.json", SearchPlan(("phone",), held_out=data.path))
    empty = written(tmp_path / "other.jsonl", ["nothing"])
    with pytest.raises(EvidenceError, match="30 secrets were found, but none"):
        search_data(data, tmp_path / "s.json", SearchPlan(("phone",), held_out=empty.path))
    assert not (tmp_path / "s.json").exists()


def test_an_older_secrets_file_is_not_written_over(data, tmp_path):
    """It may be all that is known of a planting."""
    (tmp_path / "s.json").write_text("old")
    with pytest.raises(InputError, match="is there already"):
        search_data(data, tmp_path / "s.json", SearchPlan(("phone",)))
    assert (tmp_path / "s.json").read_text() == "old"
