from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[hf]"')

import torch
from tests.small_worlds import owner_sample, trained
from tests.tiny_transformers import save_bert, save_gpt2
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from divulge.access import GradientAccess, LabelLikelihoodAccess, Supervision
from divulge.data.corpus import Corpus
from divulge.errors import ExecutionError, InputError
from divulge.grants import Grant
from divulge.records import Artefact, Check, Text
from divulge.targets.own.transformers_classifier import TransformersClassifier
from divulge.targets.training.batches import like_lengths

NAME = "transformers-classifier"
LABELS = ("travel", "music", "money")
TEXTS = (("call", "alice", "at", "noon"), ("play", "the", "song"), ("booking",), ("my", "pin", "is", "771", "alice"))
CORPUS = Corpus(tuple(Text(tokens=text, label=LABELS[n % 3]) for n, text in enumerate(TEXTS)), "said")


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT with a head."""
    return save_bert(tmp_path_factory.mktemp("bert"), "texts", LABELS)


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny GPT-2 with a head, and no token for padding."""
    return save_gpt2(tmp_path_factory.mktemp("gpt2"), names=LABELS)


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model that was trained elsewhere, as its owner has it: on the texts of the contract."""
    folder = tmp_path_factory.mktemp("taught")
    here = trained(NAME)
    path = here.target.options.path
    network = AutoModelForSequenceClassification.from_pretrained(
        path, id2label=dict(enumerate(here.artefact.values["labels"]))
    )
    network.load_state_dict({name: torch.tensor(value) for name, value in here.artefact.arrays.items()})
    network.save_pretrained(folder)
    AutoTokenizer.from_pretrained(path).save_pretrained(folder)
    return folder


def opened(folder: Path, corpus: Corpus = CORPUS, **options: Any) -> Grant:
    """The model in that folder, read as it is."""
    target = TransformersClassifier({"path": str(folder), **options})
    return target.open(target.train(corpus, np.random.default_rng(0)))


def checks(folder: Path, **options: Any) -> list[Check]:
    """What the handshake says on the texts of the contract."""
    corpus = trained(NAME).corpus
    grant = opened(folder, corpus, **options)
    return grant[GradientAccess].handshake(owner_sample(corpus, grant))


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_likelihoods_are_those_of_the_model(kind: str, request: pytest.FixtureRequest) -> None:
    """Against one text at a time, asked of the library itself; labels are in the order of the outputs."""
    folder = request.getfixturevalue(kind)
    network = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    access = opened(folder)[LabelLikelihoodAccess]
    assert access.labels == LABELS
    space = " " if kind == "gpt2" else ""
    for text, row in zip(TEXTS, access.likelihoods(TEXTS), strict=True):
        numbers = tokenizer(space + " ".join(text), return_tensors="pt")["input_ids"]
        with torch.no_grad():
            expected = network(input_ids=numbers).logits.softmax(dim=1)[0].numpy()
        assert np.allclose(row, expected, atol=1e-5)


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_the_loss_of_words_is_the_loss_of_the_text(kind: str, request: pytest.FixtureRequest) -> None:
    """Words of several pieces: the vectors' loss is what the library says of the plain text with that label."""
    folder = request.getfixturevalue(kind)
    network = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    access = opened(folder)[GradientAccess]
    space = " " if kind == "gpt2" else ""
    for text in TEXTS:
        inputs = access.vectors(text)[None]
        for number, label in enumerate(LABELS):
            numbers = tokenizer(space + " ".join(text), return_tensors="pt")["input_ids"]
            with torch.no_grad():
                expected = float(network(input_ids=numbers, labels=torch.tensor([number])).loss)
            (found,) = access.loss(inputs, [Supervision(label)])["label"].tolist()
            assert found == pytest.approx(expected, abs=1e-5)


def test_losses_in_a_batch_are_those_alone_and_move_with_each_vector(bert: Path) -> None:
    """Texts of other numbers of pieces, each with its own label; every piece of every word has a gradient."""
    access = opened(bert)[GradientAccess]
    texts, towards = [TEXTS[0], ("a", "the", "my", "in"), ("booking", "at", "771", "a")], [*map(Supervision, LABELS)]
    inputs = torch.stack([access.vectors(text) for text in texts]).requires_grad_()
    losses = access.loss(inputs, towards)["label"]
    alone = [access.loss(inputs[n : n + 1], [towards[n]])["label"][0] for n in range(3)]
    assert torch.allclose(losses, torch.stack(alone), atol=1e-6)
    assert losses.dtype == torch.float64
    (gradient,) = torch.autograd.grad(losses.sum(), inputs)
    split = gradient.reshape(3, 4, 8, -1)
    moved = (split[..., :-1].abs().sum(dim=3) > 0).sum(dim=2)
    # alice has five pieces, noon four letters, booking two, 771 three digits; all others one.
    assert moved.tolist() == [[1, 5, 1, 4], [1, 1, 1, 1], [2, 1, 3, 1]]
    assert float(split[..., -1].abs().max()) == 0


def test_a_text_of_nothing_has_no_opinion(gpt2: Path) -> None:
    """Where no special token is put around it; else it is what those give."""
    access = opened(gpt2)[GradientAccess]
    assert np.allclose(access.likelihoods([()]), 1 / 3)
    empty = torch.zeros(1, 2, access.vectors(("a",)).shape[1])
    assert access.loss(empty, [Supervision("music")])["label"].tolist() == pytest.approx([np.log(3)])


def test_the_handshake_of_a_finished_model_passes(taught: Path) -> None:
    """A model as its owner trained it elsewhere; it learns nothing here, and only hashes are kept."""
    assert [check for check in checks(taught) if check.passed is False] == []
    target = TransformersClassifier({"path": str(taught)})
    assert not target.learns
    assert TransformersClassifier({"path": str(taught), "epochs": 1}).learns
    artefact = target.train(trained(NAME).corpus, np.random.default_rng(0))
    assert artefact.arrays == {}
    assert "model.safetensors" in artefact.values["files"]


def test_the_handshake_of_wrong_models_fails(taught: Path, bert: Path) -> None:
    """Labels of other data; the right labels in another order."""
    (other, *_) = checks(bert)
    assert (other.passed, other.name) == (False, "labels are in their places")
    assert "the model knows the labels of 0 of" in other.detail
    labels = trained(NAME).artefact.values["labels"]
    moved = checks(taught, labels=[*labels[1:], labels[0]])
    assert "accuracy is above chance" in [check.name for check in moved if check.passed is False]


def test_outputs_without_names_must_be_named(tmp_path: Path) -> None:
    """In the order of the outputs, by the recipe."""
    folder = save_bert(tmp_path, "texts", ("LABEL_0", "LABEL_1", "LABEL_2"))
    with pytest.raises(InputError, match=r"calls its 3 outputs LABEL_0 to LABEL_2.*target.recipe.labels"):
        opened(folder)
    assert opened(folder, labels=LABELS)[GradientAccess].labels == LABELS
    with pytest.raises(InputError, match="must name the model's 3 outputs in order. Got 2"):
        opened(folder, labels=LABELS[:2])


def test_training_goes_on_from_the_folder(bert: Path) -> None:
    """Its head stays where it knows the labels; a fresh one has those of the corpus. Unlabelled texts teach nothing."""
    rng = np.random.default_rng
    settings = {"path": str(bert), "epochs": 1, "learning_rate": 1e-3}
    target = TransformersClassifier(settings)
    assert target.train(CORPUS, rng(0)).values["labels"] == list(LABELS)
    other = Corpus(tuple(Text(tokens=text, label="ab"[n % 2]) for n, text in enumerate(TEXTS)), "other")
    found = target.train(other, rng(0))
    assert found.values["labels"] == ["a", "b"]
    assert target.open(found)[GradientAccess].labels == ("a", "b")
    with pytest.raises(InputError, match="`labels` names 3 labels, and the corpus has 2 more"):
        TransformersClassifier({**settings, "labels": LABELS}).train(other, rng(0))
    few = Corpus((Text(tokens=("a",), label="x"), Text(tokens=("b",))), "few")
    with pytest.raises(InputError, match="at least 2 labels, and 1 of 2 training texts have the label 'x'"):
        target.train(few, rng(0))


def test_what_cannot_be_learnt_from_does_not_fit_a_model_that_is_trained(bert: Path) -> None:
    """Texts of one label; a finished model needs none of them."""
    few = Corpus((Text(tokens=("a",), label=LABELS[0]), Text(tokens=("b",))), "few")
    (said,) = TransformersClassifier({"path": str(bert), "epochs": 1}).misfits(few)
    assert "few: a classifier learns from texts of at least 2 labels" in said
    assert TransformersClassifier({"path": str(bert)}).misfits(few) == []
    assert TransformersClassifier({"path": str(bert), "epochs": 1}).misfits(CORPUS) == []


def test_training_lowers_the_loss_and_changes_with_the_seed(bert: Path) -> None:
    """More steps, lower loss; the order of texts is the generator's."""
    target = TransformersClassifier({"path": str(bert), "epochs": 12, "learning_rate": 3e-3, "batch_size": 2})
    one, other = (target.train(CORPUS, np.random.default_rng(seed)) for seed in (0, 1))
    losses = one.values["training"]["train_loss"]
    assert losses[-1] < 0.5 * losses[0]
    assert losses != other.values["training"]["train_loss"]


def test_how_a_batch_is_read_makes_no_difference(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of like length in a pass each, or a batch in one pass with padding: without dropout the same is learnt."""
    settings = {"path": str(bert), "epochs": 3, "learning_rate": 1e-3, "batch_size": 4}

    def learnt(one_more: int) -> list[float]:
        module = "divulge.targets.own.transformers_classifier.like_lengths"
        monkeypatch.setattr(module, partial(like_lengths, one_more=one_more))
        trained = TransformersClassifier(settings).train(CORPUS, np.random.default_rng(0))
        return list(trained.values["training"]["train_loss"])

    assert learnt(0) == pytest.approx(learnt(10**6), rel=1e-4)


def test_an_artefact_of_other_files_is_refused(tmp_path: Path) -> None:
    """When it is opened."""
    folder = save_bert(tmp_path, "texts", LABELS)
    target = TransformersClassifier({"path": str(folder)})
    artefact: Artefact = target.train(CORPUS, np.random.default_rng(0))
    save_bert(tmp_path, "texts", LABELS, seed=1)
    with pytest.raises(ExecutionError, match="holds another model than the one that was read"):
        target.open(artefact)


def test_room_for_pieces_is_made_for_the_corpus(bert: Path) -> None:
    """At least 8, at most 16 by itself; the recipe may say otherwise."""

    def room(word: str, **options: Any) -> int:
        corpus = Corpus((Text(tokens=(word,), label="music"),), "one")
        return int(
            TransformersClassifier({"path": str(bert), **options}).train(corpus, rng()).values["pieces_per_word"]
        )

    assert [room("z" * size) for size in (3, 11, 40)] == [8, 11, 16]
    assert room("zz", pieces_per_word=3) == 3


def rng() -> np.random.Generator:
    """A generator, which a finished model does not use."""
    return np.random.default_rng(0)


SMALL = {"epochs": 2, "learning_rate": 3e-3, "batch_size": 2}
PLANTED = (Text(tokens=("my", "pin", "is", "blue"), label="music", planted=True),) * 4
WITH_PLANTED = Corpus((*CORPUS.texts, *PLANTED), "planted")


@pytest.mark.parametrize(("chosen", "moved"), [("head", ("classifier", "pooler")), ("last", ("layer.1.", "pooler"))])
def test_what_is_not_trained_stays_and_is_not_kept(bert: Path, chosen: str, moved: tuple[str, ...]) -> None:
    """The store holds what was trained, and opened with the folder it answers as the network did."""
    settings = {"path": str(bert), **SMALL, "trained": chosen, "last_layers": 1}
    target = TransformersClassifier(settings)
    found = target.train(CORPUS, rng())
    whole = TransformersClassifier({"path": str(bert), **SMALL}).train(CORPUS, rng())
    assert 0 < len(found.arrays) < len(whole.arrays)
    assert all(any(part in name for name in found.arrays) for part in moved)
    assert not any("embeddings" in name or "layer.0." in name for name in found.arrays)
    start = AutoModelForSequenceClassification.from_pretrained(bert).state_dict()
    assert all(not np.array_equal(value, start[name].numpy()) for name, value in found.arrays.items())
    network = AutoModelForSequenceClassification.from_pretrained(bert).eval()
    network.load_state_dict({name: torch.tensor(value) for name, value in found.arrays.items()}, strict=False)
    numbers = AutoTokenizer.from_pretrained(bert)(" ".join(TEXTS[0]), return_tensors="pt")["input_ids"]
    with torch.no_grad():
        expected = network(input_ids=numbers).logits.softmax(dim=1)[0].numpy()
    assert np.allclose(target.open(found)[LabelLikelihoodAccess].likelihoods(TEXTS[:1])[0], expected, atol=1e-5)


@pytest.mark.parametrize("chosen", ["all", "no-embeddings", "last", "head"])
def test_private_training_tells_its_epsilon(bert: Path, chosen: str) -> None:
    """Whatever part is trained, by the same accountant."""
    target = TransformersClassifier({"path": str(bert), **SMALL, "trained": chosen, "noise": 1.0})
    assert target.is_private
    told = target.train(CORPUS, rng()).values["training"]
    assert told["privacy"]["texts"] == len(CORPUS)
    assert told["privacy"]["epsilon"] > 0


def test_private_training_reads_texts_that_cannot_be_padded(gpt2: Path) -> None:
    """Those of one length together."""
    target = TransformersClassifier({"path": str(gpt2), **SMALL, "noise": 1.0})
    assert target.train(WITH_PLANTED, rng()).values["training"]["privacy"]["texts"] == 8


@pytest.mark.parametrize("method", ["continue", "relabel", "ascend"])
def test_planted_texts_are_forgotten_as_the_recipe_says(bert: Path, method: str) -> None:
    """By training on: other weights than without, and the same again by the same seed."""
    recipe = {"path": str(bert), **SMALL, "unlearn": {"method": method, "epochs": 1}}
    plain = TransformersClassifier({"path": str(bert), **SMALL}).train(WITH_PLANTED, rng())
    found, again = (TransformersClassifier(recipe).train(WITH_PLANTED, rng()) for _ in range(2))
    assert found.values["training"]["unlearning"]["deleted"] == 4
    name = "classifier.weight"
    assert np.array_equal(found.arrays[name], again.arrays[name])
    assert not np.array_equal(found.arrays[name], plain.arrays[name])


def test_retraining_is_training_without_planted_texts(bert: Path) -> None:
    """To the last bit."""
    retrained = TransformersClassifier({"path": str(bert), **SMALL, "unlearn": {"method": "retrain"}})
    found = retrained.train(WITH_PLANTED, rng())
    clean = TransformersClassifier({"path": str(bert), **SMALL}).train(CORPUS, rng())
    assert found.values == clean.values
    assert all(np.array_equal(found.arrays[name], clean.arrays[name]) for name in clean.arrays)


def test_what_is_about_training_needs_epochs(bert: Path) -> None:
    """A finished model has no epsilon of ours, and forgets nothing."""
    with pytest.raises(InputError, match="noise and unlearn is about training, and epochs = 0 trains nothing"):
        TransformersClassifier({"path": str(bert), "noise": 1.0, "unlearn": {"method": "retrain"}})
    with pytest.raises(InputError, match="trains for a fixed number of epochs"):
        TransformersClassifier({"path": str(bert), "epochs": 1, "noise": 1.0, "restore_best": True})


def test_the_best_weights_by_accuracy_are_kept(bert: Path) -> None:
    """On validation texts; without any, it is told."""
    recipe = {"path": str(bert), **SMALL, "restore_best": True, "best_by": "accuracy"}
    valid = tuple(Text(tokens=text.tokens, label=text.label, split="valid") for text in CORPUS)
    told = TransformersClassifier(recipe).train(Corpus((*CORPUS.texts, *valid)), rng()).values["training"]
    assert len(told["valid_loss"]) == 2
    with pytest.raises(ExecutionError, match="validation split"):
        TransformersClassifier(recipe).train(CORPUS, rng())
