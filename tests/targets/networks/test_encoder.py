from __future__ import annotations

import json
import socket
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[demo]"')

import torch
import transformers
from safetensors.torch import load_file, save_file
from tests.tiny_encoders import KINDS, POSITIONS, VOCABULARY, WIDTH, hidden_states, save_tiny_bert, save_tiny_gpt

from divulge.engine.perform import single_thread
from divulge.errors import ExecutionError, InputError
from divulge.targets.networks.encoder import WordEncoder, load_encoder
from divulge.targets.networks.pooling import BATCH
from divulge.targets.networks.tokenizing import load_tokenizer, pieces_of, special_around

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
    with torch.no_grad(), single_thread():  # two threads add up in another order
        states = encoder._network(input_ids=numbers, attention_mask=torch.ones_like(numbers)).last_hidden_state[0]
    assert np.array_equal(encoder.embed([text])[0], states[1:4].numpy())


@pytest.mark.parametrize("pooling", ["mean", "cls", "max", "last"])
def test_pooling_counts_special_tokens(folder: Path, encoder: WordEncoder, pooling: str) -> None:
    """Mean and maximum go over all positions, as sentence-transformers has it; cls is the first."""
    states = hidden_states(folder, PIECES)
    expected = {"mean": states.mean(axis=0), "cls": states[0], "max": states.max(axis=0), "last": states[-1]}
    assert close(encoder.embed([TEXT], pooling)[0], expected[pooling])


@pytest.mark.parametrize("pooling", ["none", "mean", "cls", "max", "last"])
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


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_refused_by_folder(tmp_path: Path, value: float) -> None:
    """Attacks on vectors of NaN would find nothing; in the unused pooler they do not matter."""
    folder = save_tiny_bert(tmp_path)
    weights = load_file(folder / "model.safetensors")
    weights["pooler.dense.bias"][0] = value
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    assert np.isfinite(load_encoder(folder).embed([TEXT])[0]).all()
    weights["encoder.layer.1.output.dense.bias"][0] = value
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    said = rf"{folder.name}: 1 parameters .* NaN or infinity, the first is encoder.layer.1.output.dense.bias"
    with pytest.raises(InputError, match=said):
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


def test_an_encoder_with_a_decoder_is_refused(tmp_path: Path) -> None:
    """T5 and the like need a second text to answer at all."""
    folder = save_tiny_bert(tmp_path)
    sizes = {"d_model": WIDTH, "d_ff": 16, "num_layers": 1, "num_heads": 2, "d_kv": 8, "vocab_size": len(VOCABULARY)}
    transformers.T5Model(transformers.T5Config(**sizes)).save_pretrained(folder)
    with pytest.raises(InputError, match="an encoder with a decoder"):
        load_encoder(folder)


# -- in word pieces ---------------------------------------------------------------------------------------

WRITTEN = ("the trainers sat", "sat", "a cat at night", "the")


def states_alone(folder: Path, text: str) -> tuple[np.ndarray, int]:
    """The states of one written text, asked alone without our code; and how many special ones go before."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    asked = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
    with torch.no_grad():
        states = transformers.AutoModel.from_pretrained(folder).eval()(**asked).last_hidden_state[0].numpy()
    return states, len(special_around(tokenizer)[0])


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_have_the_states_of_the_text_itself(tmp_path: Path, kind: str) -> None:
    """Word pieces, byte pairs, sentence pieces; in one padded batch, where a causal model sees no padding either."""
    folder = KINDS[kind](tmp_path)
    texts = pieces_of(load_tokenizer(folder, whole=True), WRITTEN)
    encoder = load_encoder(folder, whole=True)
    found = {way: encoder.embed(texts, way, in_pieces=True) for way in ("none", "mean", "max", "last")}
    for place, text in enumerate(WRITTEN):
        states, before = states_alone(folder, text)
        assert close(found["none"][place], states[before : before + len(texts[place])])
        assert close(found["mean"][place], states.mean(axis=0))
        assert close(found["max"][place], states.max(axis=0))
        assert close(found["last"][place], states[-1])
    assert len({len(text) for text in texts}) > 1


@pytest.mark.parametrize("kind", ["gpt", "llama"])
def test_a_causal_model_sees_nothing_behind(tmp_path: Path, kind: str) -> None:
    """The first pieces have the states that they have in a longer text."""
    encoder = load_encoder(KINDS[kind](tmp_path), whole=True)
    text = pieces_of(load_tokenizer(tmp_path, whole=True), ["the trainers sat"])[0]
    short, long = encoder.embed([text[:2], text], in_pieces=True)
    assert close(short, long[:2])


def test_a_text_of_no_pieces_is_the_special_tokens(folder: Path) -> None:
    """Unpooled no rows."""
    encoder = load_encoder(folder, whole=True)
    assert encoder.embed([()], in_pieces=True)[0].shape == (0, WIDTH)
    assert close(encoder.embed([()], "mean", in_pieces=True)[0], hidden_states(folder, ("[CLS]", "[SEP]")).mean(axis=0))


def test_a_piece_that_the_encoder_does_not_have_is_the_unknown_one_or_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no piece for unknown ones, the message tells the place and holds no word of the text."""
    encoder = load_encoder(folder, whole=True)
    known, unknown = encoder.embed([("[UNK]",), ("glassdale",)], in_pieces=True)
    assert close(known, unknown)
    monkeypatch.setattr(encoder, "tokenizer", SimpleNamespace(unk_token=None))
    with pytest.raises(ExecutionError, match=r"text at position 1 .* not in the encoder's vocabulary of 23") as refused:
        encoder.embed([("the",), ("the", "glassdale")], in_pieces=True)
    assert "glassdale" not in str(refused.value)


def test_a_text_of_too_many_pieces_is_refused(folder: Path) -> None:
    """22 pieces and two special ones fill 24 positions."""
    encoder = load_encoder(folder, whole=True)
    assert encoder.embed([("amber",) * 22], in_pieces=True)[0].shape == (22, WIDTH)
    with pytest.raises(ExecutionError, match="24 word pieces"):
        encoder.embed([("amber",) * 23], in_pieces=True)
