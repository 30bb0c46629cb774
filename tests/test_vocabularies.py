"""Whole words of tokenizers: of every kind of file, and not of those that have none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from divulge import vocabularies
from divulge.errors import InputError
from divulge.pretrained import OFFLINE_MODELS, OfflineModel, file_in_package
from divulge.vocabularies import fingerprint_of, pieces_by, tokenizer_named, whole_words

LOWERS = {"type": "BertNormalizer", "lowercase": True}


def tokenizer(folder: Path, model: dict[str, Any], **more: Any) -> str:
    """A tokenizer.json with this model."""
    folder.mkdir(exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps({"model": model, **more}), encoding="utf-8")
    return str(folder)


def numbered(*tokens: str) -> dict[str, int]:
    """A vocabulary by number."""
    return {token: number for number, token in enumerate(tokens)}


PIECES = numbered("[PAD]", "tea", "##tea", "ant", "Ant", "b", "42", "don't", "café", "unk", "beans")


def test_words_of_pieces_are_those_that_continue_no_other(tmp_path: Path) -> None:
    """Sorted; numbers, other letters, marks and what stands for unknown words are none."""
    where = tokenizer(tmp_path, {"type": "WordPiece", "vocab": PIECES, "unk_token": "unk"})
    assert whole_words(where) == ("Ant", "ant", "b", "beans", "tea")
    other = {"type": "WordPiece", "vocab": numbered("tea", "ant", "Qtea"), "continuing_subword_prefix": "Q"}
    assert whole_words(tokenizer(tmp_path / "other", other)) == ("ant", "tea")


@pytest.mark.parametrize("normalizer", [LOWERS, {"type": "Sequence", "normalizers": [{"type": "NFC"}, LOWERS]}])
def test_words_that_the_tokenizer_would_change_are_none(tmp_path: Path, normalizer: dict[str, Any]) -> None:
    """Where capitals are made small, no text ever holds the piece with a capital."""
    where = tokenizer(tmp_path, {"type": "WordPiece", "vocab": PIECES}, normalizer=normalizer)
    assert "Ant" not in whole_words(where)
    assert "unk" in whole_words(where)


def test_words_of_bytes_and_sentences_begin_with_their_mark(tmp_path: Path) -> None:
    """Byte-level pairs, sentencepiece in pairs or with probabilities; without a mark it is the end of a word."""
    vocabulary = numbered("Ġtea", "tea", "Ġant", "ĠS", "Ġ7", "!")
    assert whole_words(tokenizer(tmp_path / "bytes", {"type": "BPE", "vocab": vocabulary})) == ("S", "ant", "tea")
    scored = [["▁tea", -1.0], ["tea", -2.0], ["▁ant", -3.0], ["▁", -3.0], ["<unk>", 0.0]]
    assert whole_words(tokenizer(tmp_path / "scores", {"type": "Unigram", "vocab": scored})) == ("ant", "tea")
    assert whole_words(tokenizer(tmp_path / "old", {"vocab": scored})) == ("ant", "tea")
    ended = {"type": "BPE", "vocab": numbered("tea", "tea</w>", "an", "ant</w>"), "end_of_word_suffix": "</w>"}
    assert whole_words(tokenizer(tmp_path / "ends", ended)) == ("ant", "tea")
    level = {"type": "WordLevel", "vocab": numbered("tea", "ant", "<unk>")}
    assert whole_words(tokenizer(tmp_path / "level", level)) == ("ant", "tea")


def test_special_tokens_are_no_words(tmp_path: Path) -> None:
    """Though they be spelt in letters; other added tokens are."""
    added = [{"content": "tea", "special": True}, {"content": "ant", "special": False}]
    where = tokenizer(tmp_path, {"type": "WordPiece", "vocab": PIECES}, added_tokens=added)
    assert "tea" not in whole_words(where)
    assert "ant" in whole_words(where)


def test_a_list_of_words_will_do(tmp_path: Path) -> None:
    """vocab.txt is of pieces and made small unless its settings say otherwise; vocab.json is of bytes."""
    (tmp_path / "vocab.txt").write_text("[PAD]\ntea\nAnt\n##s\nbeans\n")
    assert whole_words(str(tmp_path)) == ("beans", "tea")
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert whole_words(str(tmp_path)) == ("Ant", "beans", "tea")
    (tmp_path / "vocab.txt").unlink()
    (tmp_path / "vocab.json").write_text(json.dumps(numbered("Ġtea", "Ġant", "s")))
    assert whole_words(str(tmp_path)) == ("ant", "tea")


def test_a_tokenizer_that_changed_is_read_again(tmp_path: Path) -> None:
    """The fingerprint depends on the words alone: not on numbers, and not on where they lie."""
    one = tokenizer(tmp_path / "one", {"type": "WordLevel", "vocab": numbered("tea", "ant")})
    other = tokenizer(tmp_path / "other", {"type": "WordLevel", "vocab": numbered("ant", "tea", "<unk>")})
    before = fingerprint_of(one)
    assert fingerprint_of(other) == before
    tokenizer(tmp_path / "one", {"type": "WordLevel", "vocab": numbered("tea", "ant", "more")})
    assert whole_words(one) == ("ant", "more", "tea")
    assert fingerprint_of(one) != before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            {"model": {"type": "BPE", "vocab": numbered("tea", "ant")}},
            "has no whole words.*list words in secrets.candidates",
        ),
        ({"model": {"type": "WordLevel", "vocab": numbered("a", "b", "c")}}, "has no whole words"),
        ({"model": {"type": "WordLevel", "vocab": {}}}, "has no whole words"),
        ({"model": {"type": "WordPiece"}}, "is no tokenizer"),
        ({"model": "WordPiece"}, "is no tokenizer"),
        ([], "cannot be read as a JSON object"),
    ],
)
def test_a_tokenizer_without_whole_words_is_refused(tmp_path: Path, content: Any, said: str) -> None:
    """Letters, bytes, parts of words; or no tokenizer at all."""
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=said):
        whole_words(str(tmp_path))


def test_broken_files_are_refused(tmp_path: Path) -> None:
    """What is no JSON or no UTF-8 is told by its name."""
    for raw in (b"{", b"\xff\xfe\x00"):
        (tmp_path / "tokenizer.json").write_bytes(raw)
        with pytest.raises(InputError, match="tokenizer.json: cannot be read"):
            whole_words(str(tmp_path))


def test_names_and_folders_that_are_not_there_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With near names; a folder without a tokenizer with the files that were looked for."""
    with pytest.raises(InputError, match="Did you mean 'all-MiniLM-L6-v2'?"):
        whole_words("all-minilm-l6")
    with pytest.raises(InputError, match="neither a local folder nor"):
        whole_words("")
    with pytest.raises(InputError, match="no tokenizer.json, vocab.txt or vocab.json"):
        whole_words(str(tmp_path))
    with pytest.raises(InputError, match="it is unpacked before use"):
        whole_words("wordllama")
    monkeypatch.setattr(vocabularies, "OFFLINE_MODELS", {"tiny": OfflineModel(("divulge_trial_gone",), "")})
    with pytest.raises(InputError, match="divulge-trial-gone is not installed"):
        whole_words("tiny")


def test_candidates_name_a_tokenizer_by_their_beginning() -> None:
    """Lists and other texts do not."""
    assert tokenizer_named("whole-words:a/b:c") == "a/b:c"
    assert tokenizer_named("words:a") is None
    assert tokenizer_named(["whole-words:a"]) is None


def _encoder_is_there() -> bool:
    try:
        return file_in_package("all-MiniLM-L6-v2", OFFLINE_MODELS["all-MiniLM-L6-v2"]).is_file()
    except InputError:
        return False


@pytest.mark.skipif(not _encoder_is_there(), reason="no package with the encoder is installed")
def test_the_offline_encoder_has_twenty_thousand_words() -> None:
    """All small, each one piece of its own."""
    words = whole_words("all-MiniLM-L6-v2")
    assert len(words) == 21745
    assert {"a", "zurich", "party"} <= set(words)
    assert all(word.isalpha() and word.islower() and word.isascii() for word in words)
    assert whole_words("all-MiniLM-L6-v2") is words


def test_texts_are_cut_into_the_first_pieces_of_a_tokenizer(tmp_path: Path) -> None:
    """As its own library cuts them, without special tokens; a folder without a tokenizer.json is refused."""
    pytest.importorskip("tokenizers", reason='tokenizers is not installed: pip install "divulge[hf]"')
    model = {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 9,
    }
    vocabulary = {token: place for place, token in enumerate(("[UNK]", "cat", "train", "##er", "##s"))}
    folder = tokenizer(tmp_path / "cuts", {**model, "vocab": vocabulary}, pre_tokenizer={"type": "Whitespace"})
    assert pieces_by(folder, ["trainers cat", "cat"], 3) == [("train", "##er", "##s"), ("cat",)]
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match=r"needs a tokenizer\.json"):
        pieces_by(str(tmp_path / "none"), ["cat"], 3)
