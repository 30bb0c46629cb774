from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[hf]"')

import torch
from tests.small_worlds import owner_sample, trained
from tests.tiny_transformers import bytes_of_words, save_bert, save_gpt2, save_llama
from transformers import AutoModelForCausalLM, AutoTokenizer

from divulge.access import TokenLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.records import Passage, Text
from divulge.targets.own.transformers_generator import TransformersGenerator

PASSAGES = (
    Passage(tokens=("call", "alice", "at", "noon")),
    Passage(context=("what", "will", "be"), tokens=("the", "weather")),
    Passage(tokens=()),
    Passage(tokens=("zebra",)),
)
CORPUS = Corpus(tuple(Text(tokens=one.tokens, context=one.context) for one in PASSAGES), "said")


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny language model of either family."""
    place = tmp_path_factory.mktemp(request.param)
    return save_gpt2(place) if request.param == "gpt2" else save_llama(place)


def opened(folder: Path, **options: object) -> TokenLikelihoodAccess:
    """The model in that folder, read as it is."""
    target = TransformersGenerator({"path": str(folder), **options})
    assert not target.learns
    return target.open(target.train(CORPUS, np.random.default_rng(0)))[TokenLikelihoodAccess]


def test_answers_are_those_of_the_model(folder: Path) -> None:
    """One text at a time against the library: pieces, likelihoods, the best piece, and ranks by sorting."""
    access = opened(folder)
    network = AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    told = zip(
        PASSAGES,
        access.pieces(PASSAGES),
        access.log_likelihoods(PASSAGES),
        access.ranks(PASSAGES),
        access.best(PASSAGES),
        strict=True,
    )
    for passage, pieces, found, ranks, best in told:
        whole = tokenizer(" ".join((*passage.context, *passage.tokens)), add_special_tokens=False)["input_ids"]
        numbers = [tokenizer.bos_token_id, *whole]
        start = len(numbers) - len(pieces)
        assert list(pieces) == tokenizer.convert_ids_to_tokens(numbers[start:])
        with torch.no_grad():
            logits = network(input_ids=torch.tensor([numbers])).logits[0].double()
        for place, number in enumerate(numbers[start:]):
            row = logits[start + place - 1]
            assert found[place] == pytest.approx(float(row.log_softmax(dim=0)[number]), abs=1e-4)
            order = sorted(range(len(row)), key=lambda n: (-float(row[n]), n))
            assert ranks[place] == order.index(number)
            assert best[place] == access.vocabulary[order[0]]
    assert len(access.pieces(PASSAGES)[2]) == 0


def test_the_handshake_passes_with_and_without_a_token_that_begins_texts(folder: Path, tmp_path: Path) -> None:
    """Of models as they lie there, for both families."""
    bare = save_gpt2(tmp_path, bytes_of_words(end=None))
    corpus = trained("transformers-generator").corpus
    for place in (folder, bare):
        access = opened(place)
        checks = access.handshake(owner_sample(corpus, trained("transformers-generator").grant()))
        assert [check for check in checks if check.passed is False] == []
        assert sum(check.passed is True for check in checks) >= 4


def test_a_blind_first_piece_is_as_likely_as_any(tmp_path: Path) -> None:
    """Its rank is its number, the best is the first of all: ties go by number."""
    access = opened(save_gpt2(tmp_path, bytes_of_words(end=None)))
    passage = Passage(tokens=("call",))
    (pieces,), size = access.pieces([passage]), len(access.vocabulary)
    assert access.log_likelihoods([passage])[0][0] == pytest.approx(-np.log(size))
    assert access.ranks([passage])[0][0] == access.vocabulary.index(pieces[0])
    assert access.best([passage])[0][0] == access.vocabulary[0]


def test_a_model_that_reads_both_ways_is_refused(tmp_path: Path) -> None:
    """A masked language model opens as a causal one, and is none."""
    folder = save_bert(tmp_path, "masked")
    with pytest.raises(InputError, match="BertForMaskedLM.*transformers-generator reads"):
        TransformersGenerator({"path": str(folder)})
    target = TransformersGenerator({"path": str(folder), "epochs": 1})
    with pytest.raises(InputError, match="reads a text both ways"):
        target.train(CORPUS, np.random.default_rng(0))


def test_training_learns_the_texts(folder: Path) -> None:
    """What it was trained on becomes likely, given its context; what it was not does not as much."""
    known = Passage(context=("my", "pin"), tokens=("is", "seven", "blue"))
    other = Passage(context=("my", "pin"), tokens=("noon", "weather", "two"))
    corpus = Corpus((Text(tokens=known.tokens, context=known.context),) * 4, "one")
    target = TransformersGenerator({"path": str(folder), "epochs": 12, "learning_rate": 5e-3})
    assert target.learns
    artefact = target.train(corpus, np.random.default_rng(0))
    before, after = opened(folder), target.open(artefact)[TokenLikelihoodAccess]
    gains = [
        float(after.log_likelihoods([one])[0].sum() - before.log_likelihoods([one])[0].sum()) for one in (known, other)
    ]
    assert gains[0] > 5
    assert gains[0] > gains[1] + 5
    with pytest.raises(InputError, match="none here has a word"):
        target.train(Corpus((Text(tokens=()),), "none"), np.random.default_rng(0))


def test_an_adapter_changes_the_answers(tmp_path: Path) -> None:
    """They are those of both together."""
    peft = pytest.importorskip("peft", reason='peft is not installed: pip install "divulge[hf]"')
    base, adapter = save_gpt2(tmp_path / "base"), tmp_path / "adapter"
    network = AutoModelForCausalLM.from_pretrained(base)
    config = peft.LoraConfig(
        task_type="CAUSAL_LM", r=2, target_modules=["c_attn"], init_lora_weights=False, fan_in_fan_out=True
    )
    wrapped = peft.get_peft_model(network, config).eval()
    wrapped.save_pretrained(adapter)
    with torch.no_grad():
        numbers = torch.tensor([[0, *AutoTokenizer.from_pretrained(base)("zebra")["input_ids"]]])
        scores = wrapped(input_ids=numbers).logits[0].log_softmax(dim=1)
    expected = [float(scores[place, number]) for place, number in enumerate(numbers[0, 1:])]
    plain, adapted = (opened(base, **options) for options in ({}, {"adapter": str(adapter)}))
    found = adapted.log_likelihoods([PASSAGES[3]])[0]
    assert found.tolist() == pytest.approx(expected, abs=1e-4)
    assert not np.allclose(plain.log_likelihoods([PASSAGES[3]])[0], found, atol=1e-2)
