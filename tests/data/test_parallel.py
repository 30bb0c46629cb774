"""Three parallel files a split."""

from __future__ import annotations

from pathlib import Path

import pytest

from divulge.data.parallel import read_parallel
from divulge.errors import InputError
from divulge.records import Text


def write(folder: Path, tokens: str, tags: str, labels: str) -> None:
    """Writes one split."""
    folder.mkdir()
    (folder / "seq.in").write_text(tokens, encoding="utf-8")
    (folder / "seq.out").write_text(tags, encoding="utf-8")
    (folder / "label").write_text(labels, encoding="utf-8")


def test_runs_of_white_space_separate(tmp_path: Path) -> None:
    """Double and trailing spaces are no tokens; splits come in the order asked for."""
    write(tmp_path / "train", "play  jazz \nstop\n", "O B-genre \nO \n", "Play\nStop\n")
    write(tmp_path / "test", "héllo\r\n", "O\r\n", "Greet\r\n")
    assert read_parallel(tmp_path, ("test", "train")) == (
        Text(tokens=("héllo",), tags=("O",), label="Greet", split="test"),
        Text(tokens=("play", "jazz"), tags=("O", "B-genre"), label="Play", split="train"),
        Text(tokens=("stop",), tags=("O",), label="Stop", split="train"),
    )


def test_every_faulty_line_is_named(tmp_path: Path) -> None:
    """Too few tags, an empty utterance and an empty label are reported together, without any text."""
    write(tmp_path / "train", "secret word\n\nplay\n", "O\n\nO\n", "A\nB\n \n")
    with pytest.raises(InputError) as caught:
        read_parallel(tmp_path, ("train",))
    folder = tmp_path / "train"
    assert caught.value.problems == (
        f"{folder / 'seq.out'}: line 1: has 1 tags, but seq.in has 2 tokens",
        f"{folder / 'seq.in'}: line 2: has no tokens",
        f"{folder / 'label'}: line 3: has no label",
    )
    assert "secret" not in str(caught.value)


def test_a_short_file_is_named(tmp_path: Path) -> None:
    """A file with fewer lines than its neighbours is the one that is named, with its number of lines."""
    write(tmp_path / "train", "a\nb\nc\n", "O\nO\nO\n", "A\nB\n")
    with pytest.raises(InputError) as caught:
        read_parallel(tmp_path, ("train",))
    assert caught.value.problems == (f"{tmp_path / 'train' / 'label'}: ends after 2 lines, before the files beside it",)
