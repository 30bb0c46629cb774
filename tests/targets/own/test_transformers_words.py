from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[hf]"')

import torch
from tests.tiny_transformers import POSITIONS, WIDTH, save_bert, save_gpt2
from transformers import AutoTokenizer

from divulge.errors import InputError
from divulge.targets.own.transformers_classifier import TransformersClassifier
from divulge.targets.own.transformers_loading import load_finished
from divulge.targets.own.transformers_words import WordReader, longest_of, of_one_length

HEAD = "sequence-classification"
TEXT = ("call", "alice", "at", "noon", "\u200b", "booking")


def reader(folder: Path, max_tokens: int | None = None, room: int = 8) -> WordReader:
    """A reader of the classifier in that folder."""
    return WordReader(load_finished(HEAD, TransformersClassifier({"path": str(folder)}).options), max_tokens, room)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT with a head for texts."""
    return save_bert(tmp_path_factory.mktemp("bert"), "texts", ("one", "two", "three"))


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny GPT-2 with a head for texts, and no token for padding."""
    return save_gpt2(tmp_path_factory.mktemp("gpt2"), names=("one", "two", "three"))


def test_a_text_is_cut_as_its_tokenizer_cuts_split_words(bert: Path) -> None:
    """The same numbers, and the first piece of each word where the tokenizer has it; none for a dropped word."""
    tokenizer = AutoTokenizer.from_pretrained(bert)
    expected = tokenizer([list(TEXT)], is_split_into_words=True)
    owners = expected.word_ids(0)
    read = reader(bert).read(TEXT)
    assert read.numbers == expected["input_ids"][0]
    assert read.firsts == [owners.index(word) if word in owners else -1 for word in range(len(TEXT))]
    assert read.firsts[4] == -1
    # [CLS] call a ##l ##i ##c ##e at n ##o ##o ##n book ##ing [SEP]
    assert read.firsts == [1, 2, 7, 8, -1, 12]


def test_words_of_a_byte_tokenizer_are_spaced(gpt2: Path) -> None:
    """Each word is read as one behind a space, the first too: nothing runs together."""
    tokenizer = AutoTokenizer.from_pretrained(gpt2)
    text = ("call", "alice", "naïve", "noon")
    numbers = reader(gpt2).read(text).numbers
    assert tokenizer.decode(numbers) == " call alice naïve noon"
    assert numbers == tokenizer(" call alice naïve noon")["input_ids"]


def test_what_does_not_fit_is_cut_at_the_end(bert: Path) -> None:
    """Special pieces stay; words behind the cut are not read, one that is cut in two is."""
    read = reader(bert, max_tokens=6).read(("call", "at", "alice", "noon"))
    whole = reader(bert).read(("call", "at", "alice", "noon"))
    assert read.numbers == [*whole.numbers[:5], whole.numbers[-1]]
    assert read.firsts == [1, 2, 3, -1]
    assert len(reader(bert).read(("a",) * 200).numbers) == POSITIONS


def test_answers_do_not_hang_on_the_batch(bert: Path) -> None:
    """Together as alone, in the order asked."""
    mine = reader(bert)
    texts = [mine.read(TEXT[:size]) for size in (3, 1, 6, 3, 2)]
    found = torch.empty(5, 3)
    for places, logits in mine.batches(texts):
        found[torch.from_numpy(places)] = logits
    alone = torch.cat([mine.outputs(torch.tensor([text.numbers])) for text in texts])
    assert torch.allclose(found, alone, atol=1e-6)


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_vectors_of_words_give_what_the_text_itself_gives(kind: str, request: pytest.FixtureRequest) -> None:
    """Words of one, of several and of no pieces: the logits are those of the plain text, cut or not."""
    folder = request.getfixturevalue(kind)
    for longest in (None, 9):
        mine = reader(folder, longest)
        texts = [TEXT, ("at", "noon", "call", "alice", "a", "b"), ("booking",) * 6]
        inputs = torch.stack([mine.vectors(text) for text in texts])
        assert inputs.shape == (3, 6, mine.width) == (3, 6, 8 * (WIDTH + 1))
        for places, logits, firsts in mine.from_vectors(inputs):
            for place, row, first in zip(places, logits, firsts, strict=True):
                read = mine.read(texts[place])
                with torch.no_grad():
                    expected = mine.network(input_ids=torch.tensor([read.numbers])).logits[0]
                assert torch.allclose(row, expected, atol=1e-5)
                assert first == read.firsts


def test_a_word_of_too_many_pieces_is_refused_without_naming_it(bert: Path) -> None:
    """With the number that is needed: alice is five pieces."""
    with pytest.raises(InputError, match="cut into 5 pieces, and pieces_per_word = 4") as refused:
        reader(bert, room=4).vectors(("call", "alice"))
    assert "alice" not in str(refused.value)


def test_lengths_are_read_together_up_to_a_size() -> None:
    """By length, then in order; at least one at a time."""
    found = [places.tolist() for places in of_one_length([3, 2, 3, 0, 3, 9], most=7)]
    assert found == [[3], [1], [0, 2], [4], [5]]
    assert list(of_one_length([], 5)) == []


def test_the_longest_text_counts_positions_behind_padding() -> None:
    """As RoBERTa has it: 20 positions from number 2 on leave 18; a tokenizer may allow less."""

    class Network(torch.nn.Module):
        def __init__(self, padding: int | None) -> None:
            super().__init__()
            self.config = type("Config", (), {"max_position_embeddings": 20})
            self.position_embeddings = torch.nn.Embedding(20, 2, padding_idx=padding)

    tokenizer = type("Tokenizer", (), {"model_max_length": 10**30})
    assert longest_of(Network(1), tokenizer) == 18
    assert longest_of(Network(None), tokenizer) == 20
    assert longest_of(Network(1), type("Tokenizer", (), {"model_max_length": 7})) == 7


def test_padded_texts_get_what_they_get_alone(bert: Path) -> None:
    """Each in its place, in a batch of three lengths; the network is left in the mode it was in."""
    made = reader(bert)
    texts = [made.read(words).numbers for words in (("call", "alice"), ("play",), ("my", "pin", "is", "771"))]
    made.network.train()
    assert made.pads
    assert made.network.training
    made.network.eval()
    with torch.no_grad():
        together = made.padded(texts)
        for row, text in zip(together, texts, strict=True):
            assert torch.allclose(row, made.outputs(torch.tensor([text]))[0], atol=1e-5)
    assert len({round(float(row[0]), 4) for row in together}) == 3


def test_what_has_no_padding_is_not_padded(gpt2: Path) -> None:
    """A tokenizer without such a token; one whose model takes it for the end of the text."""
    made = reader(gpt2)
    assert not made.pads
    other = reader(gpt2)
    other._tokenizer.pad_token_id = 3  # its network was told of none, and reads its answer off the last place
    assert not other.pads
