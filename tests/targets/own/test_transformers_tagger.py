from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[hf]"')

import torch
from tests.small_worlds import owner_sample, trained
from tests.tiny_transformers import save_bert
from transformers import AutoModelForTokenClassification, AutoTokenizer

from divulge.access import GradientAccess, Supervision
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.records import Text
from divulge.targets.own.transformers_tagger import TransformersTagger

TAGS = ("B-NAME", "O", "B-TIME")
TEXTS = (("call", "alice", "at", "noon"), ("a",), ("booking", "\u200b", "at", "771"))
CORPUS = Corpus(tuple(Text(tokens=text, tags=("O",) * len(text)) for text in TEXTS), "said")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT with a head for words."""
    return save_bert(tmp_path_factory.mktemp("bert"), "words", TAGS)


def opened(folder: Path, corpus: Corpus = CORPUS, **options: Any) -> GradientAccess:
    """The model in that folder, read as it is."""
    target = TransformersTagger({"path": str(folder), **options})
    return target.open(target.train(corpus, np.random.default_rng(0)))[GradientAccess]


def by_library(folder: Path, text: tuple[str, ...]) -> tuple[torch.Tensor, list[int | None]]:
    """The logits of one text's pieces, and which word each piece is of."""
    found = AutoTokenizer.from_pretrained(folder)([list(text)], is_split_into_words=True, return_tensors="pt")
    network = AutoModelForTokenClassification.from_pretrained(folder).eval()
    with torch.no_grad():
        return network(input_ids=found["input_ids"]).logits[0], found.word_ids(0)


def test_tags_are_those_of_first_pieces(folder: Path) -> None:
    """Against the library; a word that the tokenizer drops is outside, and all tags are as likely for it."""
    access = opened(folder)
    assert (access.labels, access.tag_names) == ((), TAGS)
    for text, rows, tags in zip(TEXTS, access.tag_likelihoods(TEXTS), access.tags(TEXTS), strict=True):
        logits, owners = by_library(folder, text)
        for word, (row, tag) in enumerate(zip(rows, tags, strict=True)):
            if word in owners:
                expected = logits[owners.index(word)]
                assert np.allclose(row, expected.softmax(dim=0).numpy(), atol=1e-5)
                assert tag == TAGS[int(expected.argmax())]
            else:
                assert (text[word], tag) == ("\u200b", "O")
                assert np.allclose(row, 1 / 3)


def test_the_loss_is_the_mean_over_first_pieces(folder: Path) -> None:
    """What the library says of the plain text where only first pieces count, for words of many pieces."""
    access = opened(folder)
    for text in TEXTS:
        tags = tuple(TAGS[place % 3] for place in range(len(text)))
        logits, owners = by_library(folder, text)
        wanted = [-100] * len(owners)
        for word, tag in enumerate(tags):
            if word in owners:
                wanted[owners.index(word)] = TAGS.index(tag)
        expected = float(torch.nn.functional.cross_entropy(logits, torch.tensor(wanted)))
        found = access.loss(access.vectors(text)[None], [Supervision(None, tags)])
        assert list(found) == ["tags"]
        assert found["tags"].tolist() == pytest.approx([expected], abs=1e-5)


def test_losses_of_a_batch_are_those_alone(folder: Path) -> None:
    """Texts of as many words and other numbers of pieces."""
    access = opened(folder)
    texts, tags = [TEXTS[0], TEXTS[2]], [("O", "B-NAME", "O", "B-TIME"), ("O", "O", "O", "B-TIME")]
    inputs = torch.stack([access.vectors(text) for text in texts])
    found = access.loss(inputs, [Supervision(None, one) for one in tags])["tags"]
    alone = [access.loss(inputs[n : n + 1], [Supervision(None, tags[n])])["tags"][0] for n in range(2)]
    assert torch.allclose(found, torch.stack(alone), atol=1e-6)


def test_words_behind_the_cut_are_not_read(folder: Path) -> None:
    """[CLS] call a ##l [SEP] leaves the words from the third on unread; they lose nothing."""
    access = opened(folder, max_tokens=5)
    (rows,) = access.tag_likelihoods([TEXTS[0]])
    assert np.allclose(rows[2:], 1 / 3)
    assert not np.allclose(rows[:2], 1 / 3)
    losses = [
        access.loss(access.vectors(TEXTS[0])[None], [Supervision(None, ("O", "O", last, last))])["tags"]
        for last in TAGS
    ]
    assert torch.equal(losses[0], losses[1])


@pytest.mark.parametrize(
    ("tags", "said"),
    [(("O",), "2 words, 1 tags"), (None, "2 words, 0 tags"), (("O", "B-PET"), "1 of those asked about are none")],
)
def test_questions_about_other_tags_are_refused(folder: Path, tags: tuple[str, ...] | None, said: str) -> None:
    """One known tag per word is needed; no tag is shown."""
    access = opened(folder)
    with pytest.raises(InputError, match=said) as refused:
        access.loss(access.vectors(("call", "a"))[None], [Supervision(None, tags)])
    assert "PET" not in str(refused.value)
    with pytest.raises(InputError, match="no labels to texts"):
        access.label([("a",)])


def test_the_handshake_of_a_finished_model(tmp_path: Path, folder: Path) -> None:
    """One that its owner trained passes, one of other data's tags does not; names can be given in order."""
    here = trained("transformers-tagger")
    names = here.artefact.values["labels"]
    unnamed = {number: f"LABEL_{number}" for number in range(len(names))}
    network = AutoModelForTokenClassification.from_pretrained(here.target.options.path, id2label=unnamed)
    network.load_state_dict({name: torch.tensor(value) for name, value in here.artefact.arrays.items()})
    network.save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(here.target.options.path).save_pretrained(tmp_path)
    sample = owner_sample(here.corpus, here.grant())
    named = opened(tmp_path, here.corpus, labels=names).handshake(sample)
    assert [check for check in named if check.passed is False] == []
    assert sum(check.passed is True for check in named) >= 6
    failed = [check for check in opened(tmp_path, here.corpus).handshake(sample) if check.passed is False]
    assert failed[0].name == "tags are in their places"
    assert "the model knows 0 of the" in failed[0].detail
    moved = opened(tmp_path, here.corpus, labels=[*names[1:], names[0]]).handshake(sample)
    assert any(check.passed is False and check.name == "tags are above chance" for check in moved)


def test_training_takes_the_tags_of_the_corpus_where_it_must(folder: Path) -> None:
    """The model's own where they are enough; at least two."""
    settings = {"path": str(folder), "epochs": 1, "learning_rate": 1e-3}
    target, rng = TransformersTagger(settings), np.random.default_rng

    def corpus(*tags: str) -> Corpus:
        return Corpus(tuple(Text(tokens=("call", "alice"), tags=("O", tag)) for tag in tags), "said")

    assert target.learns
    assert target.train(corpus("B-NAME", "O"), rng(0)).values["labels"] == list(TAGS)
    assert target.train(corpus("B-PET", "O"), rng(0)).values["labels"] == ["B-PET", "O"]
    with pytest.raises(InputError, match="at least 2 tags"):
        target.train(corpus("O"), rng(0))
    with pytest.raises(InputError, match="`labels` names 3 tags, and the corpus has others"):
        TransformersTagger({**settings, "labels": TAGS}).train(corpus("B-PET"), rng(0))
