"""A file of vectors: rows of the training texts, pooled or not, and nothing to compare them with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample
from divulge.records import Text
from divulge.targets.own.vectors import FileVectors

CORPUS = Corpus((Text(("good", "day")), Text(("bad",)), Text(("unseen",), split="test")))
POOLED = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=np.float32)
UNPOOLED = np.arange(12, dtype=np.float32).reshape(2, 2, 3)


def opened(path: Path, corpus: Corpus = CORPUS, **settings: Any) -> Grant:
    """What is granted."""
    target = FileVectors({"path": str(path), **settings})
    return target.open(target.train(corpus, np.random.default_rng(0)))


def test_pooled_rows_are_those_of_the_training_texts(tmp_path: Path) -> None:
    """In their order; their width is known before anything runs."""
    path = tmp_path / "rows.npy"
    np.save(path, POOLED)
    grant = opened(path)
    assert grant.levels == (EmbeddedRowsAccess,)
    assert grant[EmbeddedRowsAccess].count == 2
    assert grant[EmbeddedRowsAccess].rows([1])[0].tolist() == [4.0, 5.0, 6.0]
    assert FileVectors({"path": str(path)}).width == 3


def test_unpooled_rows_end_with_their_length(tmp_path: Path) -> None:
    """What was filled up behind it is cut off."""
    path = tmp_path / "rows.npz"
    np.savez(path, rows=UNPOOLED, lengths=[2, 1])
    access = opened(path)[EmbeddedRowsAccess]
    assert [row.tolist() for row in access.rows([0, 1])] == [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8]]]
    np.savez(path, rows=UNPOOLED[:, :1], lengths=[1, 1])
    assert opened(path, tokens=1)[EmbeddedRowsAccess].rows([0])[0].tolist() == [[0, 1, 2]]
    assert FileVectors({"path": str(path), "tokens": 1}).reads == 1


def test_a_column_of_lists_is_read(tmp_path: Path) -> None:
    """Of several, one must be named."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "rows.parquet"
    columns = {"id": [7, 8], "vector": POOLED.tolist(), "words": [UNPOOLED[0].tolist(), UNPOOLED[1, :1].tolist()]}
    parquet.write_table(pyarrow.table({**columns, "odd": [[1.0], [1.0, 2.0]]}), path)
    assert opened(path, array="vector")[EmbeddedRowsAccess].rows([0])[0].tolist() == [1.0, 2.0, 3.0]
    assert opened(path, array="words")[EmbeddedRowsAccess].rows([1])[0].tolist() == [[6, 7, 8]]
    for settings, said in (({}, "tell which one holds the vectors"), ({"array": "odd"}, "all of one width")):
        with pytest.raises(InputError, match=said):
            FileVectors({"path": str(path), **settings})


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"rows": np.ones(3)}, r"Got \(3,\)"),
        ({"rows": UNPOOLED}, "need an array 'lengths' beside them"),
        ({"rows": UNPOOLED, "lengths": [1, 3]}, "must be from 0 to 2"),
        ({"rows": UNPOOLED, "lengths": [1.0, 1.0]}, "must be whole numbers"),
        ({"rows": np.array([[1.0, np.inf], [0, 0]])}, "1 of 2 rows hold NaN or infinity"),
        ({"rows": np.array([["a", "b"]])}, "must hold numbers"),
        ({"rows": np.empty((0, 3))}, "holds no vectors"),
    ],
)
def test_what_is_wrong_with_the_file_is_told_at_once(tmp_path: Path, arrays: dict[str, Any], said: str) -> None:
    """When the audit is checked, before anything runs."""
    path = tmp_path / "rows.npz"
    np.savez(path, **arrays)
    with pytest.raises(InputError, match=said):
        FileVectors({"path": str(path)})


def test_rows_and_texts_must_fit(tmp_path: Path) -> None:
    """As many rows as training texts, and unpooled as many vectors as words."""
    path = tmp_path / "rows.npz"
    np.savez(path, rows=np.ones((3, 4)))
    with pytest.raises(InputError, match="holds 3 rows, and the data 2 training texts"):
        opened(path)
    np.savez(path, rows=UNPOOLED, lengths=[2, 2])
    with pytest.raises(InputError, match=r"1 of 2 rows have another number.*\(row 1: 2 and 1\)"):
        opened(path)


def test_the_handshake_says_what_could_not_be_tried(tmp_path: Path) -> None:
    """Nobody can compare with an encoder that is not there; that all rows are alike is seen."""
    path = tmp_path / "rows.npy"
    sample = OwnerSample(row_texts={0: ("good", "day"), 1: ("bad",)})
    found = []
    for rows in (POOLED, np.ones((2, 3))):
        np.save(path, rows)
        found.append({one.name: one.passed for one in opened(path).accesses[0].handshake(sample)})
    matching = {"leaked rows match the oracle": None}
    assert found == [{**matching, "other text, other row": True}, {**matching, "other text, other row": False}]


def test_rows_of_a_test_split_alone_are_those_of_its_texts(tmp_path: Path) -> None:
    """Where no text is of the training split, each text has its row."""
    path = tmp_path / "rows.npy"
    np.save(path, POOLED)
    texts = tuple(Text((word,), split="test") for word in ("a", "b", "c"))
    assert FileVectors({"path": str(path)}).misfits(Corpus(texts[:2])) == []
    (problem,) = FileVectors({"path": str(path)}).misfits(Corpus(texts))
    assert "2 rows, and the data 3" in problem


# -- with the encoder that made them ----------------------------------------------------------------------

EMBED = "divulge.testing.callables:embed"


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    """A tiny encoder."""
    pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[demo]"')
    from tests.tiny_encoders import save_tiny_bert

    return save_tiny_bert(tmp_path / "bert")


PETS = Corpus((Text(("the", "trainers", "sat")), Text(("a", "cat")), Text(("the", "dog", "barked"))))


def leaked(folder: Path, pooling: str = "none", *, filled: int | None = None) -> np.ndarray:
    """What the encoder makes of the texts, filled up with zeros to so many pieces."""
    from divulge.targets.sentence_encoder import SentenceEncoder

    target = SentenceEncoder({"path": str(folder), "pooling": pooling})
    read = target.as_read(PETS)
    grant = target.open(target.train(read, np.random.default_rng(0)))
    rows = grant[EmbeddedRowsAccess].rows(range(len(read)))
    if pooling != "none":
        return np.stack(rows)
    return np.stack([np.pad(row, ((0, (filled or 15) - len(row)), (0, 0))) for row in rows])


def target_of(path: Path, rows: np.ndarray, folder: Path, **encoder: Any) -> FileVectors:
    """The target of these rows and that encoder."""
    np.save(path, rows)
    return FileVectors({"path": str(path), "encoder": {"path": str(folder), **encoder}})


@pytest.mark.parametrize("pooling", ["none", "mean", "max", "cls"])
def test_the_encoder_is_granted_and_matches(tmp_path: Path, bert: Path, pooling: str) -> None:
    """Texts are cut as it cuts them, rows filled up with zeros end with their pieces, and the owner's trial holds."""
    target = target_of(tmp_path / "rows.npy", leaked(bert, pooling), bert, pooling=pooling)
    read = target.as_read(PETS)
    assert read.texts[0].tokens == ("the", "train", "##er", "##s", "sat")
    assert target.granted == (EmbeddedRowsAccess, EmbeddingOracleAccess)
    assert (target.cuts_texts, target.reads, target.misfits(read)) == (True, 15, [])
    grant = target.open(target.train(read, np.random.default_rng(0)))
    if pooling == "none":
        assert [len(row) for row in grant[EmbeddedRowsAccess].rows(range(3))] == [5, 2, 3]
    sample = OwnerSample(
        texts=read.texts, row_texts=dict(enumerate(text.tokens for text in read)), oracle=grant[EmbeddingOracleAccess]
    )
    checks = [check for access in grant.accesses for check in access.handshake(sample)]
    assert {check.passed for check in checks} == {True}
    assert target.practised is target.encoder


def test_without_an_encoder_rows_alone_are_granted(tmp_path: Path) -> None:
    """As before."""
    np.save(tmp_path / "rows.npy", POOLED)
    target = FileVectors({"path": str(tmp_path / "rows.npy")})
    assert (target.granted, target.practised, target.cuts_texts) == ((EmbeddedRowsAccess,), None, False)


def test_vectors_of_another_encoder_are_named(tmp_path: Path, bert: Path) -> None:
    """Another width, another pooling, another model of the same width, another order: each before anything runs."""
    from tests.tiny_encoders import save_tiny_bert

    path, mean = tmp_path / "rows.npy", leaked(bert, "mean")
    other = leaked(save_tiny_bert(tmp_path / "other", seed=1), "mean")
    for rows, pooling, said in (
        (mean[:, :12], "mean", "holds vectors of 12 numbers, and the encoder makes vectors of 16"),
        (mean, "none", "holds one vector for each text, and the encoder makes one vector for each token"),
        (leaked(bert), "mean", "holds one vector for each token, and the encoder makes one vector for each text"),
    ):
        with pytest.raises(InputError, match=said):
            target_of(path, rows, bert, pooling=pooling)
    for rows, said in (
        (other, "not what the encoder makes of the texts"),
        (np.roll(mean, 8, axis=1), "not what the encoder makes of the texts"),
        (mean[:2], "holds 2 rows, and the data 3 training texts"),
    ):
        target = target_of(path, rows, bert, pooling="mean")
        (problem,) = target.misfits(target.as_read(PETS))
        assert said in problem
        with pytest.raises(InputError, match=said):
            target.train(target.as_read(PETS), np.random.default_rng(0))


def test_rows_that_go_wrong_behind_the_first_are_named(tmp_path: Path, bert: Path) -> None:
    """Forty texts, the rows of the last half by another encoder: the first rows alone would look right."""
    from divulge.targets.sentence_encoder import SentenceEncoder

    words = ("cat", "dog", "train", "night")
    pets = Corpus(tuple(Text((words[n % 4], words[n // 4 % 4], words[n // 16])) for n in range(40)))
    encoder = SentenceEncoder({"path": str(bert), "pooling": "mean"})
    rows = np.stack(encoder.oracle().embed([text.tokens for text in pets]))
    mixed = np.concatenate([rows[:20], np.roll(rows[20:], 8, axis=1)])
    for held, problems in ((rows, 0), (mixed, 1)):
        target = target_of(tmp_path / "rows.npy", held, bert, pooling="mean")
        assert len(target.misfits(target.as_read(pets))) == problems


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        (lambda rows: np.roll(rows, 1, axis=0), "in another order than the data"),
        (lambda rows: rows / np.linalg.norm(rows, axis=1, keepdims=True), "they were normalised"),
        (lambda rows: np.round(rows * 30).astype(np.int8), "they were rounded to whole numbers"),
    ],
)
def test_rows_that_were_moved_or_changed_are_named(
    tmp_path: Path, bert: Path, spoilt: Callable[[np.ndarray], np.ndarray], said: str
) -> None:
    """Forty different texts, of which sixteen are tried: a row moved by one is known by the texts beside them."""
    from divulge.targets.sentence_encoder import SentenceEncoder

    words = ("cat", "dog", "train", "night")
    pets = Corpus(tuple(Text((words[n % 4], words[n // 4 % 4], words[n // 16])) for n in range(40)))
    rows = np.stack(SentenceEncoder({"path": str(bert), "pooling": "mean"}).oracle().embed([t.tokens for t in pets]))
    target = target_of(tmp_path / "rows.npy", spoilt(rows), bert, pooling="mean")
    (problem,) = target.misfits(target.as_read(pets))
    assert said in problem


def test_rows_with_more_vectors_than_pieces_are_named(tmp_path: Path, bert: Path) -> None:
    """What is behind a text must be zeros; row 1 has two pieces."""
    rows = leaked(bert)
    rows[1, 2] = 1.0
    (problem,) = target_of(tmp_path / "rows.npy", rows, bert).misfits(
        target_of(tmp_path / "rows.npy", rows, bert).as_read(PETS)
    )
    assert "1 of 3 rows have another number of vectors than their text has tokens (row 1: 3 and 2)" in problem
    short = target_of(tmp_path / "rows.npy", leaked(bert)[:, :4], bert)
    assert "(row 0: 4 and 5)" in short.misfits(short.as_read(PETS))[0]


def test_noise_is_left_to_the_handshake(tmp_path: Path, bert: Path) -> None:
    """An owner may have blurred the rows: it is no other encoder, and the trial says that they do not match."""
    rows = leaked(bert, "mean")
    noisy = rows + np.random.default_rng(0).normal(size=rows.shape) * 0.1 * rows.std()
    target = target_of(tmp_path / "rows.npy", noisy, bert, pooling="mean")
    read = target.as_read(PETS)
    grant = target.open(target.train(read, np.random.default_rng(0)))
    known = dict(enumerate(text.tokens for text in read))
    (check, _) = grant.accesses[0].handshake(OwnerSample(row_texts=known, oracle=grant[EmbeddingOracleAccess]))
    assert check.passed is False
    assert "other vectors than the encoder in recipe.encoder makes" in check.detail


def test_an_encoder_of_ones_own_serves_too(tmp_path: Path) -> None:
    """By any callable, word by word; its width is asked."""
    from divulge.testing.callables import embed

    rows = embed(["good day", "bad"])
    filled = np.stack([np.pad(row, ((0, 2 - len(row)), (0, 0))) for row in rows])
    np.save(tmp_path / "rows.npy", filled)
    target = FileVectors({"path": str(tmp_path / "rows.npy"), "encoder": {"embed": EMBED}})
    assert target.misfits(target.as_read(CORPUS)) == []
    np.save(tmp_path / "rows.npy", filled[:, :, :-1])
    target = FileVectors({"path": str(tmp_path / "rows.npy"), "encoder": {"embed": EMBED}})
    assert "the encoder makes vectors of" in target.misfits(CORPUS)[0]


def test_the_key_sees_the_encoder(tmp_path: Path, bert: Path) -> None:
    """All of its recipe, and what lies in its folder; what is wrong with it is told at once, with the file's faults."""
    target = target_of(tmp_path / "rows.npy", leaked(bert), bert)
    assert target.options.encoder["tokens"] == 15
    assert target.options.encoder["files"]
    assert type(target)(target.options.model_dump(mode="json")).options == target.options
    broken = leaked(bert)
    broken[0, 0, 0] = np.nan
    with pytest.raises(InputError) as told:
        target_of(tmp_path / "rows.npy", broken, tmp_path / "gone")
    assert len(told.value.problems) > 1
    assert any("NaN" in problem for problem in told.value.problems)
    with pytest.raises(InputError, match="recipe.encoder.tokens"):
        FileVectors({"path": str(tmp_path / "rows.npy"), "tokens": 3, "encoder": {"path": str(bert)}})
    with pytest.raises(InputError, match="poolin"):
        FileVectors({"path": str(tmp_path / "rows.npy"), "encoder": {"path": str(bert), "poolin": "mean"}})
