from __future__ import annotations

import json
import socket
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[demo]"')

import torch
import transformers
from safetensors.torch import load_file, save_file
from tests.tiny_encoders import POSITIONS, VOCABULARY, WIDTH, hidden_states, save_tiny_bert

from divulge.errors import ExecutionError, InputError
from divulge.targets.networks.encoder import BATCH, WordEncoder, load_encoder

TEXT = ("the", "trainers", "sat", "at", "glassdale")
PIECES = ("[CLS]", "the", "train", "##er", "##s", "sat", "at", "glass", "##dale", "[SEP]")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT."""
    return save_tiny_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def encoder(folder: Path) -> WordEncoder:
    """The same, loaded."""
    return load_encoder(folder)


def close(found: np.ndarray, expected: np.ndarray) -> bool:
    """Equal but for rounding."""
    return found.shape == expected.shape and np.allclose(found, expected, rtol=0, atol=2e-5)


def test_a_word_is_the_mean_of_its_pieces(folder: Path, encoder: WordEncoder) -> None:
    """One vector per word, none for special tokens; a word of one piece has its hidden state."""
    states = hidden_states(folder, PIECES)
    (row,) = encoder.embed([TEXT])
    # the = piece 1, trainers = 2 to 4, sat = 5, at = 6, glassdale = 7 and 8
    expected = [states[1], states[2:5].mean(axis=0), states[5], states[6], states[7:9].mean(axis=0)]
    assert close(row, np.stack(expected))
    assert row.dtype == np.float32


def test_a_word_of_one_piece_is_its_hidden_state_to_the_bit(encoder: WordEncoder) -> None:
    """Averaging over one piece rounds nothing: the row is what the same network says for the same batch."""
    text = ("the", "cat", "sat")
    numbers = torch.tensor([[VOCABULARY.index(piece) for piece in ("[CLS]", *text, "[SEP]")]])
    with torch.no_grad():
        states = encoder._network(input_ids=numbers, attention_mask=torch.ones_like(numbers)).last_hidden_state[0]
    assert np.array_equal(encoder.embed([text])[0], states[1:4].numpy())


@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
def test_pooling_counts_special_tokens(folder: Path, encoder: WordEncoder, pooling: str) -> None:
    """Mean and maximum go over all positions, as sentence-transformers has it; cls is the first."""
    states = hidden_states(folder, PIECES)
    expected = {"mean": states.mean(axis=0), "cls": states[0], "max": states.max(axis=0)}
    assert close(encoder.embed([TEXT], pooling)[0], expected[pooling])


@pytest.mark.parametrize("pooling", ["none", "mean", "cls", "max"])
def test_a_batch_answers_as_each_text_alone(encoder: WordEncoder, pooling: str) -> None:
    """Texts of many lengths, more than one batch of them, in the order asked: padding changes nothing."""
    rng = np.random.default_rng(0)
    words = ("the", "cat", "trainers", "glassdale", "amberford", "barked", "zebra")
    texts = [tuple(rng.choice(words, size=rng.integers(0, 6))) for _ in range(BATCH + 20)]
    together = encoder.embed(texts, pooling)
    assert len({row.shape[0] for row in together}) > 1 or pooling != "none"
    assert all(close(row, encoder.embed([text], pooling)[0]) for row, text in zip(together, texts, strict=True))


def test_words_depend_on_their_neighbours(encoder: WordEncoder) -> None:
    """The vectors are contextual: the same word in other company is another vector."""
    one, other = encoder.embed([("the", "cat", "sat"), ("the", "dog", "sat")])
    assert not np.allclose(one[2], other[2], atol=1e-2)


def test_empty_texts(folder: Path, encoder: WordEncoder) -> None:
    """Unpooled no rows; pooled what the special tokens alone give; no texts, no answers."""
    assert encoder.embed([()])[0].shape == (0, WIDTH)
    assert close(encoder.embed([()], "mean")[0], hidden_states(folder, ("[CLS]", "[SEP]")).mean(axis=0))
    assert encoder.embed([]) == []


def test_words_that_the_tokenizer_drops_or_knows_as_special(folder: Path, encoder: WordEncoder) -> None:
    """Rows still line up: zeros for a zero-width space, a vector for a word that is spelt like a special token."""
    row = encoder.embed([("cat", "\u200b", "[SEP]", "sat")])[0]
    states = hidden_states(folder, ("[CLS]", "cat", "[SEP]", "sat", "[SEP]"))
    assert close(row, np.stack([states[1], np.zeros(WIDTH), states[2], states[3]]))


def test_a_text_that_is_too_long_is_refused(encoder: WordEncoder) -> None:
    """Not cut in silence; the message tells the place and holds no word of the text. All that fits is taken."""
    longest = ("amber",) * (POSITIONS - 2)
    assert encoder.embed([longest])[0].shape == (POSITIONS - 2, WIDTH)
    with pytest.raises(ExecutionError, match="1 of 2 texts .* 24 word pieces .* position 1 with 25") as refused:
        encoder.embed([("the",), (*longest, "amber")])
    assert "amber" not in str(refused.value)


def test_threads_are_given_back(encoder: WordEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread while embedding, as many as before afterwards, also when it fails."""
    seen = []
    inner = encoder._states
    monkeypatch.setattr(encoder, "_states", lambda pieces: (seen.append(torch.get_num_threads()), inner(pieces))[1])
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        encoder.embed([TEXT])
        assert (seen, torch.get_num_threads()) == ([1], 2)
    finally:
        torch.set_num_threads(before)


def test_a_folder_is_loaded_once_until_it_changes(tmp_path: Path) -> None:
    """The same object while the files are the same; new files, new vectors."""
    folder = save_tiny_bert(tmp_path)
    first = load_encoder(folder)
    assert load_encoder(folder) is first
    save_tiny_bert(tmp_path, seed=1)
    assert not np.allclose(load_encoder(folder).embed([TEXT])[0], first.embed([TEXT])[0])


def test_loading_is_quiet_and_offline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """No connection is tried, nothing is printed, and the library's own settings are left as they were."""

    def refuse(*_: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    folder = save_tiny_bert(tmp_path)
    said = transformers.utils.logging
    capfd.readouterr()
    before = said.is_progress_bar_enabled(), said.get_verbosity()
    load_encoder(folder).embed([TEXT])
    assert (said.is_progress_bar_enabled(), said.get_verbosity()) == before
    assert capfd.readouterr() == ("", "")


def test_weights_are_single_precision(tmp_path: Path) -> None:
    """A model that was saved in bfloat16 is computed in float32."""
    folder = save_tiny_bert(tmp_path)
    half = {name: value.to(torch.bfloat16) for name, value in load_file(folder / "model.safetensors").items()}
    save_file(half, folder / "model.safetensors", metadata={"format": "pt"})
    encoder = load_encoder(folder)
    assert {value.dtype for value in encoder._network.parameters()} == {torch.float32}


def test_missing_weights_are_refused_but_for_the_unused_pooler(tmp_path: Path) -> None:
    """What the file lacks would be drawn at random; the pooler alone does not matter."""
    folder = save_tiny_bert(tmp_path)
    weights, expected = load_file(folder / "model.safetensors"), load_encoder(folder).embed([TEXT])[0]
    kept = {name: value for name, value in weights.items() if not name.startswith("pooler.")}
    assert len(kept) < len(weights)
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    assert close(load_encoder(folder).embed([TEXT])[0], expected)
    kept = {name: value for name, value in kept.items() if "layer.1.attention.self" not in name}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match="6 parameters of the model are not in its weights"):  # query, key, value
        load_encoder(folder)


@pytest.mark.parametrize("change", ["nonsense", "code"])
def test_a_folder_that_cannot_be_read_is_refused(tmp_path: Path, change: str) -> None:
    """Weights that are none, or a model that lives in code of the folder: that code is never run."""
    folder = save_tiny_bert(tmp_path)
    if change == "nonsense":
        (folder / "model.safetensors").write_bytes(b"nonsense")
    else:
        own = {"model_type": "own", "auto_map": {"AutoConfig": "own.OwnConfig", "AutoModel": "own.OwnModel"}}
        (folder / "config.json").write_text(json.dumps(own), encoding="utf-8")
        (folder / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read as a transformers model"):
        load_encoder(folder)
    assert not (tmp_path / "ran").exists()


def test_cls_needs_a_first_special_token(tmp_path: Path) -> None:
    """A causal model has none: it embeds, and pools by mean, but there is no such position."""
    encoder = load_encoder(save_tiny_gpt(tmp_path))
    assert encoder.embed([("cat", "sat")])[0].shape == (2, WIDTH)
    with pytest.raises(InputError, match="'cls' needs an encoder that puts a special token first"):
        encoder.embed([("cat",)], "cls")
    assert np.array_equal(encoder.embed([()], "mean")[0], np.zeros(WIDTH))  # no position at all


def save_tiny_gpt(folder: Path) -> Path:
    """A GPT-2 of one layer whose tokenizer knows bytes and no merges: no special tokens, no padding."""
    letters = sorted(chr(code) for code in range(ord("a"), ord("z") + 1))
    vocabulary = {piece: number for number, piece in enumerate(["<|endoftext|>", "Ġ", *letters])}
    tokenizer = transformers.GPT2Tokenizer(vocab=vocabulary, merges=[])
    tokenizer.save_pretrained(folder)
    sizes = {"n_embd": WIDTH, "n_layer": 1, "n_head": 2, "n_positions": POSITIONS}
    transformers.GPT2Model(transformers.GPT2Config(vocab_size=len(vocabulary), **sizes)).save_pretrained(folder)
    return folder


def test_an_encoder_with_a_decoder_is_refused(tmp_path: Path) -> None:
    """T5 and the like need a second text to answer at all."""
    folder = save_tiny_bert(tmp_path)
    sizes = {"d_model": WIDTH, "d_ff": 16, "num_layers": 1, "num_heads": 2, "d_kv": 8, "vocab_size": len(VOCABULARY)}
    transformers.T5Model(transformers.T5Config(**sizes)).save_pretrained(folder)
    with pytest.raises(InputError, match="an encoder with a decoder"):
        load_encoder(folder)
