"""Tokenizers of all kinds: how they cut texts, what they put around them, what texts can be made of."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[demo]"')

from tests.tiny_encoders import KINDS, VOCABULARY, save_tiny_bert, save_tiny_gpt
from transformers import RobertaConfig, RobertaModel

from divulge.errors import InputError
from divulge.pieces import spoken
from divulge.targets.networks.tokenizing import (
    load_tokenizer,
    longest_text,
    must_start_specially,
    piece_counts,
    pieces_of,
    special_around,
    whole_vocabulary,
)


@pytest.mark.parametrize(
    ("kind", "pieces"),
    [
        ("bert", ("the", "train", "##er", "##s", "sat")),
        ("gpt", (*"the", "Ġ", *"trainers", "Ġ", *"sat")),  # it knows bytes and no merges
        ("llama", ("▁the", "▁train", "er", "s", "▁sat")),
    ],
)
def test_texts_are_cut_as_they_are_written(tmp_path: Path, kind: str, pieces: tuple[str, ...]) -> None:
    """Without special tokens, the first of them on request, and read again as the same text; no texts, no pieces."""
    tokenizer = load_tokenizer(KINDS[kind](tmp_path), whole=True)
    assert pieces_of(tokenizer, ["the trainers sat", ""]) == [pieces, ()]
    assert pieces_of(tokenizer, ["the trainers sat"], 2) == [pieces[:2]]
    assert spoken(pieces) == "the trainers sat" or kind == "gpt"
    assert pieces_of(tokenizer, []) == []


@pytest.mark.parametrize(("kind", "count"), [("bert", 5), ("gpt", 17), ("llama", 5)])
def test_pieces_of_words_are_counted(tmp_path: Path, kind: str, count: int) -> None:
    """As many as stand behind the words, special tokens left out; in bytes, 14 letters and a blank before each word."""
    tokenizer = load_tokenizer(KINDS[kind](tmp_path))
    assert piece_counts(tokenizer, [("the", "trainers", "sat"), ()]) == [count, 0]
    assert piece_counts(tokenizer, []) == []


@pytest.mark.parametrize(("kind", "around"), [("bert", ([2], [3])), ("gpt", ([], [])), ("llama", ([1], []))])
def test_special_tokens_go_around_a_text(tmp_path: Path, kind: str, around: tuple[list[int], list[int]]) -> None:
    """[CLS] before and [SEP] behind; none; <s> before."""
    assert special_around(load_tokenizer(KINDS[kind](tmp_path), whole=True)) == around


def test_padding_and_truncation_of_the_file_are_not_inherited(tmp_path: Path) -> None:
    """Whatever was switched on when the tokenizer was saved."""
    folder = save_tiny_bert(tmp_path)
    tokenizer = load_tokenizer(folder, whole=True)
    tokenizer.backend_tokenizer.enable_truncation(3)
    tokenizer.backend_tokenizer.enable_padding(length=9)
    tokenizer.save_pretrained(folder)
    again = load_tokenizer(folder, whole=True)
    assert pieces_of(again, ["the cat sat on the mat"]) == [("the", "cat", "sat", "on", "the", "mat")]


def test_the_vocabulary_is_what_texts_are_made_of(tmp_path: Path) -> None:
    """By number, without special tokens, unknown ones among them."""
    assert whole_vocabulary(load_tokenizer(save_tiny_bert(tmp_path), whole=True)) == VOCABULARY[5:]
    known = whole_vocabulary(load_tokenizer(save_tiny_gpt(tmp_path / "gpt"), whole=True))
    assert ("<|endoftext|>" in known, known[:2]) == (False, ("Ġ", "a"))


def test_a_folder_is_read_once_until_it_changes(tmp_path: Path) -> None:
    """The same object; one for whole texts, one for words."""
    folder = save_tiny_bert(tmp_path)
    first = load_tokenizer(folder, whole=True)
    assert load_tokenizer(folder, whole=True) is first
    assert load_tokenizer(folder) is not first
    (folder / "tokenizer.json").write_text("nonsense", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read as a transformers model"):
        load_tokenizer(folder, whole=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_without_a_tokenizer_is_said_to_be_that(tmp_path: Path, kind: str) -> None:
    """What configures one is left behind, as by a copy that went wrong."""
    folder = KINDS[kind](tmp_path / "model")
    load_tokenizer(folder)
    for name in ("tokenizer.json", "vocab.txt", "vocab.json", "merges.txt"):
        (folder / name).unlink(missing_ok=True)
    assert (folder / "tokenizer_config.json").is_file()
    with pytest.raises(InputError, match=r"model: has no tokenizer. tokenizer.json is needed"):
        load_tokenizer(folder)


def test_cls_needs_a_special_token_of_that_name(tmp_path: Path) -> None:
    """A BERT has it; a causal model's first special token has seen no text."""
    must_start_specially(load_tokenizer(save_tiny_bert(tmp_path), whole=True))
    for kind in ("gpt", "llama"):
        with pytest.raises(InputError, match="'cls' needs an encoder that puts a special token first"):
            must_start_specially(load_tokenizer(KINDS[kind](tmp_path / kind), whole=True))


def test_positions_that_begin_behind_the_padding_are_fewer() -> None:
    """RoBERTa of 20 positions, whose padding is number 1: the first word has position 2, so that 18 are left."""
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8}
    network = RobertaModel(RobertaConfig(vocab_size=9, max_position_embeddings=20, **sizes))
    assert longest_text(network, SimpleNamespace(model_max_length=10**30)) == 18
    assert longest_text(network, SimpleNamespace(model_max_length=12)) == 12
