"""Cornell dialogs: small copies of its files, and the real ones where they are."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from divulge.data.cornell_dialogs import CONVERSATIONS, LINES, CornellDialogs, few_of_a_film
from divulge.data.loading import verify
from divulge.errors import InputError

needs_files = pytest.mark.skipif(bool(CornellDialogs.missing()), reason="its files are not in the data folder")
SAID = [
    "L1 u0 m0 Do <u>you</u> see?",
    "L2 u1 m0 I do.",
    "L3 u0 m0 Good.",
    "L4 u0 m0 Very good.",
    "L5 u1 m0 ",
    "L6 u0 m0 So?",
    "L7 u1 m0 don\ufffdt",
    "L8 u2 m345 Who is it?",
    "L9 u3 m58 It is me.",
]
HELD = ["u0 u1 m0 L1 L2 L3 L4 L5 L6 L7", "u2 u3 m58 L8 L9 L8"]


def small_copies(root: Path, *more: str) -> None:
    """Two films."""
    (root / "cornell-dialogs").mkdir()
    lines = [" +++$+++ ".join((*line.split(" ", 3)[:3], "NAME", line.split(" ", 3)[3])) for line in SAID]
    lines[4] = lines[4].rstrip()
    held = []
    for line in HELD:
        first, second, film, *ids = line.split()
        held.append(" +++$+++ ".join((first, second, film, str(ids))))
    for name, rows in ((LINES, [*lines, *more]), (CONVERSATIONS, [*held, *more])):
        content = "".join(f"{row}\n" for row in rows).encode()
        (root / "cornell-dialogs" / name).write_bytes(gzip.compress(content))


def test_small_copies_load(tmp_path: Path) -> None:
    """Who answers is the user; none with oneself, an empty line or a damaged one; films of one script are one."""
    small_copies(tmp_path)
    corpus = CornellDialogs({"least": 1, "per_film": None}).load(tmp_path)
    assert [(text.user, " ".join(text.context), " ".join(text.tokens)) for text in corpus] == [
        ("m0-u0", "i do .", "good ."),
        ("m0-u1", "do you see ?", "i do ."),
        ("m58-u2", "it is me .", "who is it ?"),
        ("m58-u3", "who is it ?", "it is me ."),
    ]


def test_one_character_of_a_film_is_kept(tmp_path: Path) -> None:
    """By default no two users are of one film, and the seed chooses."""
    small_copies(tmp_path)
    kept = {CornellDialogs({"least": 1, "seed": seed}).load(tmp_path).users for seed in range(20)}
    assert all([user.partition("-")[0] for user in users] == ["m0", "m58"] for users in kept)
    assert len(kept) == 4


def test_at_most_so_many_of_a_film() -> None:
    """Of three and of one, two and one are kept."""
    kept = few_of_a_film({"m1-u1": 1, "m1-u2": 2, "m1-u3": 3, "m10-u4": 4}, 2, seed=0)
    assert len(kept) == 3
    assert kept.items() <= {"m1-u1": 1, "m1-u2": 2, "m1-u3": 3, "m10-u4": 4}.items()
    assert "m10-u4" in kept


def test_wrong_lines_are_told_by_number(tmp_path: Path) -> None:
    """Too few fields, and a conversation without lines; none of their words."""
    small_copies(tmp_path, "secretive")
    with pytest.raises(InputError) as refused:
        CornellDialogs().load(tmp_path)
    assert [line.partition("line ")[2] for line in refused.value.problems] == [
        "10: has 1 fields with +++$+++ between them; expected 5",
        "3: names no lines",
    ]


def test_absent_files_are_explained(tmp_path: Path) -> None:
    """Without the files one is told where they come from."""
    with pytest.raises(InputError, match="2 of 2 files.*jayantj"):
        CornellDialogs().load(tmp_path)


@needs_files
def test_the_real_files_have_the_stated_counts() -> None:
    """523 films have a character with 40 exchanges, and no film has two."""
    corpus = CornellDialogs().load()
    films = Counter(user.partition("-")[0] for user in corpus.users)
    assert len(films) == 523
    assert set(films.values()) == {1}
    assert min(Counter(text.user for text in corpus).values()) >= 38
    assert max(len(text.tokens) for text in corpus) == max(len(text.context) for text in corpus) == 30
    assert len({(text.context, text.tokens) for text in corpus}) == len(corpus)


@needs_files
def test_the_real_files_are_the_ones_meant() -> None:
    """Both sums match."""
    assert [finding.as_expected for finding in verify("cornell-dialogs")] == [True, True]
