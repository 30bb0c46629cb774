"""Tests of divulge.data.planting.planting."""

from __future__ import annotations

import csv
import io
import json
import stat
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.data.planting.worlds import PATTERN, planted, restored, texts_of

from divulge.data.corpus import Corpus
from divulge.data.files.own import read_own
from divulge.data.planting import planting as module
from divulge.errors import InputError
from divulge.spec import DataSpec

words = st.text(st.characters(exclude_categories=("Cs", "Cc", "Z")), min_size=1, max_size=4)
texts = st.lists(words, min_size=1, max_size=4).map(" ".join)
ends = st.sampled_from(["\n", "\r\n"])


@st.composite
def json_lines(draw):
    """JSONL of any spelling, with blank lines, a mark at the start, and perhaps no end of the last line."""
    end = draw(ends)
    lines = []
    for text in draw(st.lists(texts, min_size=1, max_size=6)):
        row = {"n": draw(st.integers()), "text": draw(st.sampled_from([text, text.split()])), "label": "L"}
        apart = draw(st.sampled_from([(", ", ": "), (",", ":"), (" , ", " : ")]))
        lines.append(json.dumps(row, ensure_ascii=draw(st.booleans()), separators=apart))
        lines += [""] * draw(st.integers(0, 2))
    return draw(st.sampled_from(["", "\ufeff"])) + end.join(lines) + draw(st.sampled_from(["", end]))


@st.composite
def delimited(draw):
    """CSV with quoted line ends and quotes, in each way of quoting."""
    end = draw(ends)
    written = io.StringIO()
    writer = csv.writer(written, lineterminator=end, quoting=draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])))
    writer.writerow(["text", "label", "more"])
    for text in draw(st.lists(texts, min_size=1, max_size=6)):
        more = draw(st.sampled_from(["x", 'say "hi"', f"two{end}lines", "a,b", ""]))
        writer.writerow([text.replace(" ", draw(st.sampled_from([" ", "\n\n"]))), "L", more])
        written.write(end * draw(st.integers(0, 1)))
    content = written.getvalue()
    return draw(st.sampled_from(["", "\ufeff"])) + (content if draw(st.booleans()) else content.rstrip("\r\n"))


@st.composite
def sentences(draw):
    """CoNLL with comments, document marks, further blank lines, and perhaps no end."""
    end, apart = draw(ends), draw(st.sampled_from([" ", "\t", "  "]))
    lines = [""] * draw(st.integers(0, 1))
    for text in draw(st.lists(texts, min_size=1, max_size=5)):
        lines += draw(st.sampled_from([[], ["#! said"], [f"-DOCSTART-{apart}O", ""]]))
        lines += [f"{word}{apart}{draw(st.sampled_from(['O', 'B-P']))}" for word in text.split() if "#" not in word]
        lines += [""] * draw(st.integers(1, 2))
    lines += [f"last{apart}B-P"] + [""] * draw(st.integers(0, 2))
    return draw(st.sampled_from(["", "\ufeff"])) + end.join(lines)


def there_and_back(content: str, name: str, **plan) -> None:
    """Plants, compares the copy with what was planted, takes it out, and compares with what there was."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        data = folder / f"data{name}"
        data.write_bytes(content.encode())
        options = {"comment": "#!"} if "conll" in name else {}
        done, secrets = planted(folder, data, f"out{name}", options=options, **plan)
        before = read_own(DataSpec(path=str(data), options=options))
        after = read_own(DataSpec(path=str(folder / f"out{name}"), options=options))
        assert secrets.fingerprint == done.fingerprint == after.fingerprint
        put = [" ".join(text.tokens) for text in after]
        kept = Corpus(tuple(text for text in after if " ".join(text.tokens) not in texts_of(secrets)))
        assert kept.texts == before.texts
        assert sorted(text for text in put if text in texts_of(secrets)) == sorted(texts_of(secrets))
        assert restored(folder, f"out{name}", f"back{name}").read_bytes() == content.encode()


@settings(deadline=None, max_examples=40)
@given(json_lines(), st.integers(0, 99))
def test_json_lines_come_back_byte_for_byte(content, seed):
    """Whatever their spelling."""
    there_and_back(content, ".jsonl", label="L", seed=seed)


@settings(deadline=None, max_examples=40)
@given(delimited(), st.integers(0, 99))
def test_csv_comes_back_byte_for_byte(content, seed):
    """Whatever its quotes."""
    there_and_back(content, ".csv", label="L", seed=seed, copies=2)


@settings(deadline=None, max_examples=40)
@given(sentences(), st.integers(0, 99))
def test_conll_comes_back_byte_for_byte(content, seed):
    """Whatever stands between its sentences."""
    there_and_back(content, ".conll", tag="P", seed=seed)


def rows(path, count, **more):
    """A JSONL file of so many rows."""
    with path.open("w") as file:
        for number in range(count):
            file.write(json.dumps({"text": f"word {number} is here", **more}) + "\n")
    return path


def test_a_gzipped_file_stays_gzipped(tmp_path):
    """And comes back with the same text in it."""
    import gzip

    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"text": "a"}\n'))
    planted(tmp_path, tmp_path / "a.jsonl.gz", "b.jsonl.gz")
    assert gzip.decompress((tmp_path / "b.jsonl.gz").read_bytes()).startswith(b'{"text": ')
    assert gzip.decompress(restored(tmp_path, "b.jsonl.gz", "c.jsonl.gz").read_bytes()) == b'{"text": "a"}\n'


def test_the_secrets_file_is_the_owners_and_tells_what_an_audit_needs(tmp_path):
    """Mode 0600; a coin was tossed; copies; which is planted and which is held out."""
    rows(tmp_path / "a.jsonl", 30, label="L")
    done, content = planted(tmp_path, tmp_path / "a.jsonl", "b.jsonl", label="L", copies=3, count=20)
    assert stat.S_IMODE((tmp_path / "secrets.json").stat().st_mode) == 0o600
    assert content.spec.coin
    assert (len(content.secrets), len(content.controls)) == (done.planted, done.held_out)
    assert done.planted + done.held_out == done.canaries == 20
    assert {one.secret_id for one in content.plantings} == {one.id for one in content.secrets}
    assert {one.copies for one in content.plantings} == {3}
    held = {" ".join(one.hint.filled(one.answer.tokens)) for one in content.controls}
    assert not any(text in (tmp_path / "b.jsonl").read_text() for text in held)
    assert done.inserted == 3 * done.planted == len((tmp_path / "b.jsonl").read_text().splitlines()) - 30


def test_a_canary_is_made_of_the_record_before_it(tmp_path):
    """Every further field is the donor's; the first ones, with nothing before, have those of the first record."""
    with (tmp_path / "a.jsonl").open("w") as file:
        for number in range(10):
            file.write(json.dumps({"id": number, "text": [f"w{number}"], "label": number % 2}) + "\n")
    planted(tmp_path, tmp_path / "a.jsonl", "b.jsonl", label="1", count=60)
    last = 0
    for line in (tmp_path / "b.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["text"][0] == "my":
            assert (row["id"], row["label"], len(row["text"])) == (last, 1, 7)
        else:
            last = row["id"]


def test_only_the_split_is_planted_into(tmp_path):
    """By a column, with its value."""
    lines = [json.dumps({"text": f"t {n}", "part": "fit" if n % 3 else "test"}) for n in range(30)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    columns = {"split": "part"}
    done, content = planted(tmp_path, tmp_path / "a.jsonl", "b.jsonl", split="fit", columns=columns, count=40)
    read = read_own(DataSpec(path=str(tmp_path / "b.jsonl"), columns=columns))
    assert {text.split for text in read if text.tokens[0] == "my"} == {"fit"}
    assert (done.trained, done.records) == (20, 30)
    assert {one.split for one in content.plantings} == {"fit"}


def test_a_datasets_folder_is_planted_and_restored(tmp_path):
    """Split by split, readable by the library; the fingerprint is that of an audit."""
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    whole = datasets.Dataset.from_dict({"text": [f"w {n}" for n in range(50)], "label": ["x", "y"] * 25})
    folder = datasets.DatasetDict({"train": whole, "test": whole.select(range(5))})
    folder.save_to_disk(tmp_path / "data")
    done, content = planted(tmp_path, tmp_path / "data", "out", label="x")
    loaded = datasets.load_from_disk(tmp_path / "out")
    assert sorted(text for text in loaded["train"]["text"] if text.startswith("my")) == sorted(texts_of(content))
    assert loaded["test"].to_list() == folder["test"].to_list()
    assert read_own(DataSpec(path=str(tmp_path / "out"))).fingerprint == done.fingerprint
    back = datasets.load_from_disk(restored(tmp_path, "out", "back"))
    assert {name: table.to_list() for name, table in back.items()} == {
        name: table.to_list() for name, table in folder.items()
    }
    assert back["train"].features == whole.features
    planted_one = tmp_path / "one"
    planted_one.mkdir()
    planted(planted_one, tmp_path / "data" / "train", "out", label="x")
    assert datasets.load_from_disk(restored(planted_one, "out", "back")).to_list() == whole.to_list()


def peak(folder: Path, count: int) -> int:
    """The most memory that planting into so many rows and taking them out again takes."""
    folder.mkdir()
    rows(folder / "a.jsonl", count)
    tracemalloc.start()
    try:
        planted(folder, folder / "a.jsonl", "b.jsonl")
        restored(folder, "b.jsonl", "c.jsonl")
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_data(tmp_path):
    """Ten times the rows take no more than a tenth of what those rows themselves hold (about 45 bytes each)."""
    peak(tmp_path / "warm", 10)
    small, large = peak(tmp_path / "small", 500), peak(tmp_path / "large", 8000)
    assert large - small < 7500 * 45 / 10


@pytest.mark.parametrize(
    ("out", "secrets", "plan", "said"),
    [
        ("a.jsonl", "s.json", {}, "is there already"),
        ("b.jsonl", "a.jsonl", {}, "is there already"),
        ("b.jsonl", "no/s.json", {}, "does not exist"),
        ("b.jsonl", "b.jsonl", {}, "need two names"),
        ("b.csv", "s.json", {}, r"must end in .jsonl or .jsonl.gz"),
        ("b.jsonl", "s.json", {"count": 1}, "--count must be at least 2"),
        ("b.jsonl", "s.json", {"copies": 0}, "--copies must be at least 1"),
        ("b.jsonl", "s.json", {"pattern": "no hole"}, "no hole"),
        ("b.jsonl", "s.json", {"pattern": "pin {digit}"}, "allows 10 different canaries"),
        ("b.jsonl", "s.json", {"label": "L"}, "has no labels"),
        ("b.jsonl", "s.json", {"split": "fit"}, "no records of the split 'fit'"),
    ],
)
def test_what_cannot_be_done_is_refused_and_leaves_nothing(tmp_path, out, secrets, plan, said):
    """Neither data nor secrets nor a draft."""
    rows(tmp_path / "a.jsonl", 5)
    wanted = module.PlantingPlan(**{"pattern": PATTERN, "count": 12, "seed": 1, **plan})
    with pytest.raises(InputError, match=said):
        module.plant_data(DataSpec(path=str(tmp_path / "a.jsonl")), tmp_path / out, tmp_path / secrets, wanted)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_a_copy_within_the_data_is_refused(tmp_path):
    """It would become a part of it."""
    rows(tmp_path / "train.jsonl", 5)
    with pytest.raises(InputError, match="lies within the data itself"):
        planted(tmp_path, tmp_path, "planted")


@pytest.mark.parametrize("step", ["write_copy", "fingerprint_of", "write_secrets", "rename"])
def test_an_interrupt_leaves_nothing(tmp_path, monkeypatch, step):
    """At whatever step it comes."""
    rows(tmp_path / "a.jsonl", 5)

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    if step == "rename":
        monkeypatch.setattr(Path, "rename", interrupted)
    else:
        monkeypatch.setattr(module, step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        planted(tmp_path, tmp_path / "a.jsonl", "b.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_secrets_are_written_before_the_data_is_there(tmp_path, monkeypatch):
    """Planted data without its secrets could never be cleaned."""
    rows(tmp_path / "a.jsonl", 5)
    there = []
    write = module.write_secrets
    monkeypatch.setattr(
        module, "write_secrets", lambda *given: (there.append((tmp_path / "b.jsonl").exists()), write(*given))
    )
    planted(tmp_path, tmp_path / "a.jsonl", "b.jsonl")
    assert there == [False]
    assert (tmp_path / "b.jsonl").exists()
