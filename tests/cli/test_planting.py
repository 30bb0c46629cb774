"""Tests of `divulge plant`, `divulge unplant` and `divulge secrets`."""

from __future__ import annotations

import json
import stat
import tomllib

import pytest

from divulge.data.secrets import read_secrets

PLANT = ("--out", "planted.jsonl", "--secrets", "secrets.json", "--pattern", "my pin is {digit*4}")


@pytest.fixture
def data(folder):
    """A file with labels, under names of its own."""
    rows = [{"said": f"word {n}", "intent": ("Play", "Stop")[n % 2]} for n in range(40)]
    (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "audit.toml").unlink()
    return folder


COLUMNS = ("--columns", "text=said", "--columns", "label=intent")


def test_a_canary_lives_from_plant_to_unplant(divulge, data):
    """What is printed holds no canary, and leads on to the audit."""
    ended = divulge("plant", "data.jsonl", *PLANT, *COLUMNS, "--label", "Play", "--count", "50")
    assert (ended.code, ended.err) == (0, "")
    content = read_secrets(data / "secrets.json")
    assert f"{len(content.secrets)} of 50 canaries planted, once each" in ended.out
    assert f"{len(content.controls)} held out" in ended.out
    assert stat.S_IMODE((data / "secrets.json").stat().st_mode) == 0o600
    assert "divulge unplant planted.jsonl --secrets secrets.json --out ORIGINAL" in ended.out
    told = tomllib.loads(ended.out[ended.out.index("   [data]") : ended.out.index("3. The data")])
    assert told["data"] == {"path": "planted.jsonl", "columns": {"text": "said", "label": "intent"}}
    assert told["secrets"] == {"file": "secrets.json"}
    ended = divulge("unplant", "planted.jsonl", "--secrets", "secrets.json", "--out", "original.jsonl")
    assert (ended.code, ended.err) == (0, "")
    assert f"{len(content.secrets)} records taken out" in ended.out
    assert (data / "original.jsonl").read_bytes() == (data / "data.jsonl").read_bytes()


def test_the_lines_that_are_printed_make_an_audit(divulge, data):
    """An audit of the planted data takes the secrets file, and refuses it for other data or other columns."""
    short = (*PLANT[:-1], "my pin is {digit*2}")
    assert divulge("plant", "data.jsonl", *short, *COLUMNS, "--label", "Play", "--count", "12").code == 0
    lines = """
        [target]
        kind = "fake-classifier"
        [data]
        path = "planted.jsonl"
        columns = { text = "said", label = "intent" }
        [secrets]
        file = "secrets.json"
        decoys = 20
        [[attacks]]
        name = "label-likelihood"
    """
    (data / "audit.toml").write_text(lines)
    ended = divulge("audit", "audit.toml", "--workers", "0", "--json")
    assert ended.code == 0, ended.err
    for changed in (lines.replace("planted.jsonl", "data.jsonl"), lines.replace(', label = "intent"', "")):
        (data / "audit.toml").write_text(changed)
        ended = divulge("audit", "audit.toml", "--workers", "0")
        assert ended.code == 2
        assert "belongs to other data" in ended.err
        assert 'data.columns {"text": "said", "label": "intent"}' in ended.err.replace(
            '{"label": "intent", "text": "said"}', '{"text": "said", "label": "intent"}'
        )


def test_scripts_get_json(divulge, data):
    """Of all three commands."""
    arguments = (*PLANT, *COLUMNS, "--label", "Play", "--count", "30", "--copies", "2", "--seed", "4", "--json")
    done = divulge("plant", "data.jsonl", *arguments).json
    assert done["planted"] + done["held_out"] == done["canaries"] == 30
    assert (done["inserted"], done["trained"], done["label"]) == (2 * done["planted"], 40, "Play")
    back = divulge("unplant", "planted.jsonl", "--secrets", "secrets.json", "--out", "b.jsonl", "--json").json
    assert back["removed"] == done["inserted"]
    found = divulge(
        "secrets", "data.jsonl", "--secrets", "f.json", "--pattern", r"regex:\d\d", *COLUMNS, "--json", "--limit", "5"
    ).json
    assert found["patterns"] == [{"pattern": r"regex:\d\d", "found": 30, "kept": 5, "controls": 0}]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*PLANT, *COLUMNS), "say which one the canaries get with --label"),
        ((*PLANT, *COLUMNS, "--label", "Pley"), "Did you mean 'Play'?"),
        ((*PLANT, *COLUMNS, "--label", "Play", "--tag", "PER"), "the data has no tags"),
        ((*PLANT, "--label", "Play"), "there is no column 'text'"),
        ((*PLANT, "--columns", "text"), "--columns needs FIELD=COLUMN. Got 'text'"),
        ((*PLANT, "--columns", "txt=said"), "unknown field 'txt'"),
        ((*PLANT, *COLUMNS, "--option", "=csv"), "--option needs NAME=VALUE"),
        ((*PLANT, *COLUMNS, "--option", "delimiter=;"), "options.delimiter is for CSV"),
        ((*PLANT, *COLUMNS, "--option", "form=csv"), "unknown key 'form'. Did you mean 'format'?"),
        ((*PLANT, *COLUMNS, "--label", "Play", "--count", "100000"), "allows 10000 different canaries"),
        ((*PLANT, *COLUMNS, "--label", "Play", "--split", "fit"), "no records of the split 'fit'"),
        (PLANT[:4], "Missing option '--pattern'"),
    ],
)
def test_wrong_plantings_end_with_2(divulge, data, arguments, said):
    """With what is wrong and what to do; nothing is left behind."""
    ended = divulge("plant", "data.jsonl", *arguments)
    assert ended.code == 2
    assert said in ended.err
    assert "Traceback" not in ended.err
    assert [path.name for path in data.iterdir()] == ["data.jsonl"]


def test_a_column_may_be_left_out(divulge, data):
    """Then the data has no labels."""
    columns = ("--columns", "text=said", "--columns", "label=")
    assert divulge("plant", "data.jsonl", *PLANT, *columns, "--count", "20").code == 0


def test_what_is_not_there_ends_with_2(divulge, data):
    """Data to plant into or to clean, and secrets."""
    assert "there is no such file" in divulge("plant", "gone.jsonl", *PLANT).err
    ended = divulge("unplant", "gone.jsonl", "--secrets", "gone.json", "--out", "x")
    assert (ended.code, "there is no such file" in ended.err) == (2, True)
    ended = divulge("unplant", "data.jsonl", "--secrets", "gone.json", "--out", "x")
    assert (ended.code, "there is no such file" in ended.err) == (2, True)


def test_other_data_is_not_unplanted(divulge, data):
    """The original has nothing to take out."""
    assert divulge("plant", "data.jsonl", *PLANT, *COLUMNS, "--label", "Play", "--count", "20").code == 0
    ended = divulge("unplant", "data.jsonl", "--secrets", "secrets.json", "--out", "x.jsonl")
    assert ended.code == 2
    assert "is not the planted data" in ended.err
    assert not (data / "x.jsonl").exists()


def test_secrets_in_the_data_are_found_and_not_shown(divulge, folder):
    """Counts for each pattern, which kind of controls there is, and the lines for an audit."""
    rows = [{"text": f"call +49 170 555 {n:04} or write to user{n}@example.org"} for n in range(12)]
    (folder / "data.jsonl").write_text("\n".join(map(json.dumps, rows)))
    patterns = ("--pattern", "phone", "--pattern", "email", "--pattern", "card")
    ended = divulge("secrets", "data.jsonl", "--secrets", "s.json", *patterns, "--decoys", "30")
    assert ended.code == 0
    assert [line.split()[:4] for line in ended.out.splitlines()[1:4]] == [
        ["phone", "12", "12", "0"],
        ["email", "12", "12", "0"],
        ["card", "0", "0", "0"],
    ]
    assert "There are no controls" in ended.out
    assert 'file = "s.json"' in ended.out
    assert "555" not in ended.out
    assert "user" not in ended.out
    assert stat.S_IMODE((folder / "s.json").stat().st_mode) == 0o600


def test_nothing_found_ends_with_3(divulge, data):
    """No evidence; for scripts the counts are printed all the same."""
    ended = divulge("secrets", "data.jsonl", "--secrets", "s.json", "--pattern", "card", *COLUMNS, "--json")
    assert ended.code == 3
    assert ended.json["patterns"][0]["found"] == 0
    assert "no secret of these patterns was found" in ended.err
    assert not (data / "s.json").exists()


def test_a_wrong_pattern_ends_with_2(divulge, data):
    """With the nearest."""
    ended = divulge("secrets", "data.jsonl", "--secrets", "s.json", "--pattern", "fone", *COLUMNS)
    assert (ended.code, "neither a pattern with a hole" in ended.err) == (2, True)


def test_candidates_of_ones_own_are_planted(divulge, data):
    """A list of words, or the whole words of a tokenizer; what is wrong with them is said without the words."""
    (data / "tokenizer").mkdir()
    (data / "tokenizer" / "vocab.txt").write_text("tea\nant\nbeans\nzoo\n")
    sets = ("--candidates", "word=whole-words:tokenizer", "--candidates", "fruit=['fig', 'lime']")
    pattern = (*PLANT[:-1], "<word*4> {word} {fruit}")
    ended = divulge("plant", "data.jsonl", *pattern, *sets, *COLUMNS, "--label", "Play", "--count", "20")
    assert (ended.code, ended.err) == (0, "")
    content = read_secrets(data / "secrets.json")
    assert content.secrets[0].hint.candidates == (("ant", "beans", "tea", "zoo"), ("fig", "lime"))
    assert divulge("unplant", "planted.jsonl", "--secrets", "secrets.json", "--out", "original.jsonl").code == 0
    again = ("plant", "data.jsonl", "--out", "p.jsonl", "--secrets", "s.json", "--pattern", "{word}", *COLUMNS)
    ended = divulge(*again, "--candidates", "mysecretword")
    assert ended.code == 2
    assert "--candidates needs" in ended.err
    assert "mysecretword" not in ended.err
    ended = divulge(*again, "--candidates", "word=whole-words:gone")
    assert ended.code == 2
    assert "neither a local folder nor the name of a pretrained model" in ended.err
