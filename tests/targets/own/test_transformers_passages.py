from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[hf]"')

import torch
from tests.tiny_transformers import POSITIONS, bytes_of_words, save_gpt2, save_llama
from transformers import AutoTokenizer

from divulge.records import Passage
from divulge.targets.own import transformers_passages
from divulge.targets.own.transformers_folder import FolderOptions
from divulge.targets.own.transformers_loading import load_finished
from divulge.targets.own.transformers_passages import PassageReader

PASSAGE = Passage(context=("call", "alice"), tokens=("at", "noon", "tomorrow"))


def reader(folder: Path, max_tokens: int | None = None) -> PassageReader:
    """A reader of the language model in that folder."""
    return PassageReader(load_finished("causal-lm", FolderOptions(path=str(folder))), max_tokens)


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny language model of either family."""
    place = tmp_path_factory.mktemp(request.param)
    return save_gpt2(place) if request.param == "gpt2" else save_llama(place)


def test_context_and_text_are_cut_as_one(folder: Path) -> None:
    """Together they are the pieces of the whole text, behind the token that begins one; no piece is in both."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    (read,) = reader(folder).read([PASSAGE])
    whole = tokenizer("call alice at noon tomorrow", add_special_tokens=False)["input_ids"]
    assert read.before + read.text == [tokenizer.bos_token_id, *whole]
    assert tokenizer.decode(read.text).strip() == "at noon tomorrow"
    assert tokenizer.decode(read.before[1:]).strip() == "call alice"


def test_texts_of_nothing(folder: Path) -> None:
    """No words, no pieces, whatever the context is."""
    read = reader(folder).read([Passage(tokens=()), Passage(context=("call",), tokens=())])
    assert [one.text for one in read] == [[], []]
    assert reader(folder).read([]) == []


def test_what_does_not_fit_is_left_out_of_the_context_first(folder: Path) -> None:
    """The context loses its start, then the text its end; never more than the model takes."""
    (whole,) = reader(folder).read([PASSAGE])
    size = len(whole.text)
    (cut,) = reader(folder, max_tokens=size + 2).read([PASSAGE])
    assert (cut.before, cut.text) == ([whole.before[0], whole.before[-1]], whole.text)
    (short,) = reader(folder, max_tokens=size).read([PASSAGE])
    assert (short.before, short.text) == ([whole.before[0]], whole.text[:-1])
    (long,) = reader(folder).read([Passage(tokens=("tomorrow",) * 200)])
    assert len(long.before) + len(long.text) == POSITIONS


def test_every_number_has_a_name(tmp_path: Path) -> None:
    """Also those that the tokenizer knows nothing of, and each another."""
    mine = reader(save_llama(tmp_path))
    assert len(set(mine.names)) == len(mine.names) == mine.size == 163
    assert mine.names[-3:] == ("<unused 160>", "<unused 161>", "<unused 162>")


def test_parts_are_scored_as_the_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three positions at a time, or through the whole model: what is told to be scored is the same."""
    asked: list[int] = []

    def scores(logits: torch.Tensor, true: torch.Tensor) -> torch.Tensor:
        asked.append(len(true))
        return logits.gather(1, true[:, None])[:, 0]

    mine = reader(folder)
    read = mine.read([PASSAGE, Passage(context=PASSAGE.context, tokens=("at", "noon", "tomorrow"))])
    assert mine._apart
    together = mine.scored(read, scores)
    monkeypatch.setattr(transformers_passages, "MOST_SCORES", 3 * mine.size)
    asked.clear()
    parts = mine.scored(read, scores)
    assert max(asked) == 3
    mine._apart = False
    through = mine.scored(read, scores)
    numbers = torch.tensor([read[0].before + read[0].text])
    logits = mine.network(input_ids=numbers).logits[0]
    places = range(len(read[0].before), numbers.shape[1])
    expected = [float(logits[place - 1, numbers[0, place]]) for place in places]
    for found in (together, parts, through):
        assert [row.tolist() for row in found] == [pytest.approx(expected, abs=1e-5)] * 2


def test_a_model_that_changes_its_scores_is_asked_as_a_whole(tmp_path: Path) -> None:
    """Some bend the scores of the last layer: then they come from the model itself, a few texts at a time."""
    loaded = load_finished("causal-lm", FolderOptions(path=str(save_gpt2(tmp_path))))
    bent: Any = type("Bent", (type(loaded.network),), {"forward": _bent})
    loaded.network.__class__ = bent
    mine = PassageReader(loaded, None)
    assert not mine._apart
    assert mine.at_once == transformers_passages.MOST_SCORES // mine.size
    (row,) = mine.scored(mine.read([PASSAGE]), lambda logits, true: logits.abs().amax(dim=1))
    assert row.max() <= 1


def test_without_a_token_that_begins_a_text_the_first_piece_is_a_blind_guess(tmp_path: Path) -> None:
    """Only where there is no context either, and in one batch with a passage that has some."""
    mine = reader(save_gpt2(tmp_path, bytes_of_words(end=None)))
    alone, behind = Passage(tokens=("call", "alice")), Passage(context=("call",), tokens=("alice",))
    read = mine.read([alone, behind])
    assert (read[0].before, read[0].text) == ([], read[1].before + read[1].text)
    rows = mine.scored(read, lambda logits, true: logits.gather(1, true[:, None])[:, 0])
    assert [len(row) for row in rows] == [len(one.text) for one in read]
    assert rows[0][0] == 0  # all scores are alike
    assert rows[0][len(read[1].before) :].tolist() == pytest.approx(rows[1].tolist(), abs=1e-5)


def test_the_loss_counts_the_text_alone(folder: Path) -> None:
    """The sum of what its pieces lose; the context loses nothing."""
    mine = reader(folder)
    read = mine.read([PASSAGE])

    def log_likelihoods(logits: torch.Tensor, true: torch.Tensor) -> torch.Tensor:
        return logits.log_softmax(dim=1).gather(1, true[:, None])[:, 0]

    (row,) = mine.scored(read, log_likelihoods)
    assert mine.loss(read).tolist() == pytest.approx([-float(row.sum())], abs=1e-4)


def _bent(self: Any, **inputs: Any) -> Any:
    found = type(self).__mro__[1].forward(self, **inputs)
    found.logits = torch.tanh(found.logits)
    return found
