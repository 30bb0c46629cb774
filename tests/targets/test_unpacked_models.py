"""Models that are carried in another form: unpacked once, whole or not at all, and the same as before."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[demo]"')

import torch
import transformers
from safetensors.numpy import load_file
from tests.tiny_encoders import hidden_states, save_tiny_llama, save_tiny_static

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.data.corpus import Corpus
from divulge.errors import ExecutionError, InputError
from divulge.records import Text
from divulge.targets.offline_models import OFFLINE_MODELS, installed_file, installed_folder
from divulge.targets.sentence_encoder import SentenceEncoder
from divulge.targets.unpacked_models import models_root, unpack_gguf, unpack_static, unpacked

SHA = "0123456789abcdef" * 4


def unpacked_before(name: str) -> str | None:
    """Why a real model cannot be tried here; None where it was unpacked, which takes too long for a test."""
    try:
        installed_file(name)
    except InputError as error:
        return str(error)
    found = list(models_root().glob(f"{name}-{OFFLINE_MODELS[name].sha256[:16]}-*"))
    return None if found or name == "wordllama" else f"{name} was never unpacked here"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "divulge" / "models"


def write(file: Path, folder: Path) -> None:
    """Unpacks by copying."""
    (folder / "copy").write_bytes(file.read_bytes())


def test_a_model_is_unpacked_once(cache: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Into a folder named after model and hash, which is said; the second time it is there."""
    file = tmp_path / "file"
    file.write_bytes(b"weights")
    with caplog.at_level(logging.WARNING):
        place = unpacked("tiny", file, SHA, write)
    assert place.parent == models_root() == cache
    assert place.name.startswith("tiny-0123456789abcdef-")
    assert (place / "copy").read_bytes() == b"weights"
    assert "unpacking it once" in caplog.text
    file.unlink()
    assert unpacked("tiny", file, SHA, write) == place
    assert [one.name for one in cache.iterdir()] == [place.name]


def test_what_breaks_leaves_nothing_behind(cache: Path, tmp_path: Path) -> None:
    """Neither a folder that looks whole nor one that is half done."""

    def breaks(file: Path, folder: Path) -> None:
        (folder / "half").write_bytes(b"")
        raise InputError("no model")

    with pytest.raises(InputError, match="no model"):
        unpacked("tiny", tmp_path / "file", SHA, breaks)
    assert list(cache.iterdir()) == []


def test_whoever_comes_second_takes_what_is_there(cache: Path, tmp_path: Path) -> None:
    """Another process may have unpacked the same in the meantime."""

    def beaten(file: Path, folder: Path) -> None:
        other = cache / f"tiny-{SHA[:16]}-1"
        other.mkdir()
        (other / "first").write_bytes(b"")

    place = unpacked("tiny", tmp_path / "file", SHA, beaten)
    assert [one.name for one in place.iterdir()] == ["first"]


def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is in its way."""
    (tmp_path / "divulge").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(ExecutionError, match=r"cannot be written: Not a directory|cannot be written: File exists"):
        unpacked("tiny", tmp_path / "file", SHA, write)


def test_a_gguf_model_is_written_as_transformers_saves_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reading of GGUF replaced by a model at hand: same states and pieces, in half precision."""
    source, folder, file = save_tiny_llama(tmp_path / "llama"), tmp_path / "made", tmp_path / "tiny.gguf"
    folder.mkdir()
    network = transformers.LlamaForCausalLM.from_pretrained(source)
    network.config.tie_word_embeddings = True
    network.config.quantization_config = {"quant_method": "gguf"}
    tokenizer = transformers.AutoTokenizer.from_pretrained(source)
    asked = []

    with monkeypatch.context() as patch:
        for reader, found in ((transformers.AutoModelForCausalLM, network), (transformers.AutoTokenizer, tokenizer)):
            read = lambda place, found=found, **said: (asked.append((place, said["gguf_file"])), found)[1]  # noqa: E731
            patch.setattr(reader, "from_pretrained", read)
        unpack_gguf(file, folder)
    assert asked == [(tmp_path, "tiny.gguf")] * 2
    weights = load_file(folder / "model.safetensors")
    assert {value.dtype for value in weights.values()} == {np.dtype(np.float16)}
    assert "lm_head.weight" not in weights
    assert "quantization_config" not in json.loads((folder / "config.json").read_text())
    pieces = ("<s>", "▁the", "▁train", "er", "s")
    assert np.allclose(hidden_states(folder, pieces).astype(np.float32), hidden_states(source, pieces), atol=0.05)
    target = SentenceEncoder({"path": str(folder)})
    assert target.as_read(Corpus((Text(("the", "trainers")),))).texts[0].tokens == pieces[1:]


def test_a_file_that_is_no_gguf_is_told(tmp_path: Path) -> None:
    """In one sentence."""
    pytest.importorskip("gguf", reason='gguf is not installed: pip install "divulge[gguf]"')
    (tmp_path / "tiny.gguf").write_bytes(b"nonsense")
    with pytest.raises(InputError, match="cannot be read as a GGUF model"):
        unpack_gguf(tmp_path / "tiny.gguf", tmp_path)


def test_static_vectors_are_laid_out_as_sentence_transformers_does(tmp_path: Path) -> None:
    """From a package with weights in one folder and the tokenizer in another; without it, it is told."""
    inner = save_tiny_static(tmp_path / "source") / "0_StaticEmbedding"
    package, folder = tmp_path / "package", tmp_path / "made"
    for place in (package / "weights", package / "tokenizers", folder):
        place.mkdir(parents=True)
    file = (inner / "model.safetensors").rename(package / "weights" / "tiny.safetensors")
    with pytest.raises(InputError, match="one tokenizer must lie beside the vectors. Found 0"):
        unpack_static(file, folder)
    (inner / "tokenizer.json").rename(package / "tokenizers" / "tiny_tokenizer.json")
    unpack_static(file, folder)
    assert SentenceEncoder({"path": str(folder), "pooling": "own"}).as_read(Corpus((Text(("cat",)),))).texts[0].tokens


@pytest.mark.skipif(unpacked_before("SmolLM2-135M-Instruct") is not None, reason="SmolLM2 is not unpacked here")
def test_the_real_causal_model_has_the_states_of_its_last_layer() -> None:
    """Two texts in one batch against each alone, by the library's own way through; the first piece has no space."""
    target = SentenceEncoder({"model": "SmolLM2-135M-Instruct"})
    said = ("The patient was discharged.", "No fever")
    read = target.as_read(Corpus(tuple(Text(tuple(one.split())) for one in said)))
    assert read.texts[1].tokens == ("No", "Ġfever")
    grant = target.open(target.train(read, np.random.default_rng(0)))
    folder = installed_folder("SmolLM2-135M-Instruct")
    network = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    numbers = transformers.AutoTokenizer.from_pretrained(folder)(said[0], return_tensors="pt")
    with torch.no_grad():
        expected = network(**numbers, output_hidden_states=True).hidden_states[-1][0].numpy()
    (row,) = grant[EmbeddedRowsAccess].rows([0])
    assert row.shape == (len(read.texts[0].tokens), 576) == expected.shape
    assert np.allclose(row, expected, atol=1e-3)
    assert len(grant[EmbeddingOracleAccess].vocabulary) == 49_135  # 49,152 without 17 special ones


@pytest.mark.skipif(unpacked_before("wordllama") is not None, reason="wordllama is not installed")
def test_the_real_static_vectors_are_those_of_the_package() -> None:
    """Each row is that of its piece's number in the package's file."""
    target = SentenceEncoder({"model": "wordllama"})
    read = target.as_read(Corpus((Text(("abdominal", "scan")),)))
    assert "".join(read.texts[0].tokens) == "▁abdominal▁scan"
    (row,) = target.open(target.train(read, np.random.default_rng(0)))[EmbeddedRowsAccess].rows([0])
    matrix = load_file(installed_file("wordllama"))["embedding.weight"]
    inner = installed_folder("wordllama") / "0_StaticEmbedding" / "tokenizer.json"
    known = json.loads(inner.read_text(encoding="utf-8"))["model"]["vocab"]
    assert np.array_equal(row, matrix[[known[piece] for piece in read.texts[0].tokens]])
