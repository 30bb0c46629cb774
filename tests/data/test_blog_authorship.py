"""Blog authorship: a small copy of its file, and the real one where it is."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from divulge.cli.app import run
from divulge.data.blog_authorship import POSTS, BlogAuthorship
from divulge.data.loading import verify
from divulge.errors import InputError

needs_files = pytest.mark.skipif(bool(BlogAuthorship.missing()), reason="its file is not in the data folder")
ROWS = [
    {"user": "u1", "text": 'He said "no more!" and left. i like cats. Same old thing here. Ha!', "label": "Arts"},
    {"user": "u2", "text": "same OLD thing here. One two three four five six seven.", "label": "indUnk"},
]

AUDIT = """
[target]
kind = "text-generator"
[data]
name = "blog-authorship"
options = { least = 1 }
[secrets]
kind = "users"
count = 3
controls = 4
[adversary.background]
shadows = 1
[[attacks]]
name = "rank-histogram"
"""


def small_copy(root: Path, *more: str) -> None:
    """Two users."""
    (root / "blog-authorship").mkdir()
    lines = "".join(f"{line}\n" for line in (*map(json.dumps, ROWS), *more))
    (root / "blog-authorship" / POSTS).write_bytes(gzip.compress(lines.encode()))


def test_a_small_copy_loads(tmp_path: Path) -> None:
    """Sentences in words, shared and short ones dropped; no label."""
    small_copy(tmp_path)
    corpus = BlogAuthorship({"least": 1}).load(tmp_path)
    assert [(text.user, " ".join(text.tokens)) for text in corpus] == [
        ("u1", 'he said " no more ! "'),
        ("u1", "and left ."),
        ("u1", "i like cats ."),
        ("u2", "one two three four five six seven ."),
    ]
    assert all(text.label is None and text.split == "train" and not text.context for text in corpus)


def test_sizes_are_kept(tmp_path: Path) -> None:
    """Long texts are cut into pieces; users are cut to their tokens; posts can stay whole."""
    small_copy(tmp_path)
    cut = BlogAuthorship({"tokens": 8, "longest": 5, "users": 2, "least": 8}).load(tmp_path)
    # Of u1 the sentence of 6 gives 5, the rest is too short, then comes one of 3; the 8 words of u2 give 5 + 3.
    assert [(text.user, len(text.tokens)) for text in cut] == [("u1", 5), ("u1", 3), ("u2", 5), ("u2", 3)]
    whole = BlogAuthorship({"least": 1, "sentences": False}).load(tmp_path)
    assert [len(text.tokens) for text in whole] == [21, 13]  # 10 + 4 + 5 + 2 and 5 + 8 words


def test_wrong_requests_and_lines_are_told(tmp_path: Path) -> None:
    """A text longer than a user; more users than there are; lines by number, without their words."""
    with pytest.raises(InputError, match="longest is 40, more than the 30 tokens"):
        BlogAuthorship({"tokens": 30})
    small_copy(tmp_path)
    with pytest.raises(InputError, match="3 users are asked for. Found 2 of 2"):
        BlogAuthorship({"users": 3, "least": 1}).load(tmp_path)
    (tmp_path / "more").mkdir()
    small_copy(tmp_path / "more", "nonsense", '{"user": "u3"}', '{"user": 3, "text": "secretive"}', "[1]")
    with pytest.raises(InputError) as refused:
        BlogAuthorship().load(tmp_path / "more")
    assert [line.partition("line ")[2][:1] for line in refused.value.problems] == ["3", "4", "5", "6"]
    assert "secretive" not in str(refused.value)


def test_bloggers_can_be_audited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An audit of users is planned; for more people than there are it is refused."""
    more = [json.dumps({"user": f"v{n}", "text": f"Number {n} it is. Not {n}, I say."}) for n in range(10)]
    small_copy(tmp_path, *more)
    (tmp_path / "audit.toml").write_text(AUDIT)
    monkeypatch.setenv("DIVULGE_DATA", str(tmp_path))
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / "store"))
    assert run(["check", str(tmp_path / "audit.toml"), "--json"]) == 0
    (spec,) = json.loads(capsys.readouterr().out)["specs"]
    assert (spec["secrets"], spec["controls"]) == (7, 4)
    assert run(["check", str(tmp_path / "audit.toml"), "--set", "secrets.count=9"]) == 2
    assert "13 users with training texts are needed" in capsys.readouterr().err


def test_absent_files_are_explained(tmp_path: Path) -> None:
    """Without the file one is told where it comes from."""
    with pytest.raises(InputError, match="1 of 1 files.*color-bert"):
        BlogAuthorship().load(tmp_path)


@needs_files
def test_the_real_file_has_users_of_the_size_asked_for() -> None:
    """A hundred bloggers with close to 1,000 tokens each, no text twice."""
    corpus = BlogAuthorship({"users": 100}).load()
    sizes: Counter[str | None] = Counter()
    for text in corpus:
        sizes[text.user] += len(text.tokens)
    assert len(sizes) == 100
    assert 950 < min(sizes.values()) <= max(sizes.values()) <= 1000
    assert max(len(text.tokens) for text in corpus) == 40
    assert len({text.tokens for text in corpus}) == len(corpus)


@needs_files
def test_the_real_file_is_the_one_meant() -> None:
    """Its sum matches."""
    assert [finding.as_expected for finding in verify("blog-authorship")] == [True]
