"""Static vectors: looked up, never contextual, averaged as sentence-transformers does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[demo]"')

from safetensors.numpy import save_file
from tests.tiny_encoders import STATIC_PIECES, STATIC_VECTORS, save_tiny_bert, save_tiny_static

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.records import Text
from divulge.targets.networks.static import is_static, static_network, static_width
from divulge.targets.sentence_encoder import SentenceEncoder

TEXTS = ("the cat sat", "sat", "the zebra the")
CORPUS = Corpus(tuple(Text(tuple(text.split())) for text in TEXTS))


def opened(folder: Path, **options: object) -> tuple[Corpus, list[np.ndarray], EmbeddingOracleAccess]:
    """The texts as read, their rows, and the oracle."""
    target = SentenceEncoder({"path": str(folder), **options})
    read = target.as_read(CORPUS)
    grant = target.open(target.train(read, np.random.default_rng(0)))
    return read, grant[EmbeddedRowsAccess].rows(range(len(read))), grant[EmbeddingOracleAccess]


def test_a_piece_has_the_same_vector_everywhere(tmp_path: Path) -> None:
    """That of its number; no special tokens are around a text, though the file of the tokenizer has them."""
    folder = save_tiny_static(tmp_path)
    read, rows, oracle = opened(folder)
    assert read.texts[0].tokens == ("the", "cat", "sat")
    assert read.texts[2].tokens == ("the", "[UNK]", "the")
    for text, row in zip(read, rows, strict=True):
        assert np.array_equal(row, STATIC_VECTORS[[STATIC_PIECES.index(piece) for piece in text.tokens]])
    assert oracle.vocabulary == STATIC_PIECES[3:]
    assert SentenceEncoder({"path": str(folder)}).width == STATIC_VECTORS.shape[1]


def test_the_mean_is_that_of_sentence_transformers(tmp_path: Path) -> None:
    """By name, and as the folder itself says."""
    library = pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    folder = save_tiny_static(tmp_path)
    expected = library.SentenceTransformer(str(folder), device="cpu").encode(list(TEXTS))
    for pooling in ("mean", "own"):
        assert np.allclose(np.stack(opened(folder, pooling=pooling)[1]), expected, atol=1e-6)
    with pytest.raises(InputError, match="'cls' needs an encoder"):
        opened(folder, pooling="cls")


def test_other_folders_are_not_static(tmp_path: Path) -> None:
    """One with a configuration, one without weights, one whose weights are no matrix of that name, or none at all."""
    assert not is_static(save_tiny_bert(tmp_path / "bert"))
    assert not is_static(tmp_path)
    inner = save_tiny_static(tmp_path / "static") / "0_StaticEmbedding"
    assert static_width(inner) == STATIC_VECTORS.shape[1]
    save_file({"other": STATIC_VECTORS}, inner / "model.safetensors")
    assert not is_static(inner)
    (inner / "model.safetensors").write_bytes(b"nonsense")
    assert not is_static(inner)


@pytest.mark.parametrize(("change", "said"), [("short", "has 4 vectors for the 6 pieces"), ("nan", "NaN or infinity")])
def test_vectors_that_do_not_serve_are_refused(tmp_path: Path, change: str, said: str) -> None:
    """Fewer than the tokenizer has pieces, or not finite."""
    inner = save_tiny_static(tmp_path) / "0_StaticEmbedding"
    vectors = STATIC_VECTORS[:4].copy() if change == "short" else np.full_like(STATIC_VECTORS, np.nan)
    save_file({"embedding.weight": vectors}, inner / "model.safetensors")
    with pytest.raises(InputError, match=said):
        static_network(inner)
