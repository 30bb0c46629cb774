"""Our reading of leaked rows against the decoder of gu2023: time to train, and sentences read in a second.

    python -m benchmarks.embedding_decoders --size full --save

Both learn from the same public rows and read the same private ones, in turn, on one thread:

- decoder-pretrained with the paper's recipe. After one epoch that does not count, a few are measured and scaled up
  to its 100; what is done once, and the tuning on texts with keywords, which comes on top, is left out in its favour.
  It draws ten sentences of up to 15 tokens for each row.
- parallel-decoder, trained to its end, and reading rows alone; asking the encoder again is timed beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

import numpy as np
import torch

from benchmarks.ratios import Ratio, Result, main
from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.adversary import Background, Knowledge, Practice
from divulge.attacks.adversarial_decoder import PretrainedDecoder
from divulge.attacks.base import Attack
from divulge.attacks.networks.decoder_training import fit
from divulge.attacks.parallel_decoder import ParallelDecoder
from divulge.data.corpus import Corpus
from divulge.data.loading import load_corpus
from divulge.grants import Grant
from divulge.metrics.similarity import token_accuracy
from divulge.records import LeakedRow, Ranking, RowContent, Secret
from divulge.seeds import settled
from divulge.spec import DataSpec
from divulge.targets.base import Target
from divulge.targets.sentence_encoder import SentenceEncoder
from divulge.testing.encoder import FakeEncoder

__all__ = ["SIZES", "Setting", "measure"]

T = TypeVar("T")


@dataclass(frozen=True)
class Setting:
    """The texts, the encoder, the two attacks, and how much is measured."""

    data: dict[str, Any]
    encoder: str = "sentence-encoder"
    decoder: Mapping[str, Any] = field(default_factory=dict)  # options; none: as published
    ours: Mapping[str, Any] = field(default_factory=dict)
    measured: int = 2  # epochs after the first, which is to warm up
    private: int = 1000  # rows that ours reads
    drawn_for: int = 64  # rows that the paper's decoder reads
    warming: int = 8  # rows that either reads before
    seed: int = 0


SIZES = {
    "small": Setting(
        {"name": "synthetic-sentences", "options": {"size": 300}},
        encoder="fake-encoder",
        decoder=PretrainedDecoder.trial,
        ours=ParallelDecoder.trial,
        private=40,
        drawn_for=20,
    ),
    "full": Setting({"name": "cms"}),
}


def measure(size: str, setting: Setting | None = None) -> Result:
    """Trains both on the public part, then lets both read the private one."""
    chosen = setting or SIZES[size]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _measured(size, chosen)
    finally:
        torch.set_num_threads(threads)


def _measured(size: str, chosen: Setting) -> Result:
    target = _encoder(chosen)
    corpus = target.as_read(load_corpus(DataSpec(**chosen.data)))
    public, known = _embedded(target, corpus.split("train"))
    leaked, asked = _embedded(target, corpus.split("test"))
    rows, asked = leaked.limited((EmbeddedRowsAccess,), None), asked[: chosen.private]
    background = Background(corpus=corpus.split("train").texts, practice=(Practice(public, known),))
    paper = PretrainedDecoder(dict(chosen.decoder))
    epochs = PretrainedDecoder().options.epochs
    epoch, drawing = _trained_briefly(paper, background, chosen)
    ours = ParallelDecoder(dict(chosen.ours))
    training, learnt = _timed(lambda: _prepared(ours, background, chosen))
    few = asked[: chosen.drawn_for]
    for attack, knows in ((paper, drawing), (ours, learnt)):  # what is loaded at first use counts for neither
        _guessed(attack, rows, asked[: chosen.warming], knows, chosen)
    drawing_time, drawn = _timed(lambda: _guessed(paper, rows, few, drawing, chosen))
    reading_time, read = _timed(lambda: _guessed(ours, rows, asked, learnt, chosen))
    both = leaked.limited((EmbeddedRowsAccess, EmbeddingOracleAccess), None)
    asking_time, checked = _timed(lambda: _guessed(ours, both, asked, learnt, chosen))
    seconds = {
        "decoder-pretrained, one epoch": epoch,
        f"decoder-pretrained, {epochs} epochs": epochs * epoch,
        "parallel-decoder, training": training,
        "decoder-pretrained, 1,000 sentences": 1000 * drawing_time / len(few),
        "parallel-decoder, 1,000 sentences": 1000 * reading_time / len(asked),
        "parallel-decoder, 1,000 sentences, asking the encoder": 1000 * asking_time / len(asked),
    }
    whole, per_thousand = seconds[f"decoder-pretrained, {epochs} epochs"], "{}, 1,000 sentences".format
    speed = seconds[per_thousand("decoder-pretrained")] / seconds[per_thousand("parallel-decoder")]
    return Result(
        name="embedding-decoders",
        size=size,
        seconds=seconds,
        ratios=(
            Ratio(
                f"training, parallel-decoder / decoder-pretrained ({epochs} epochs)", training / whole, 0.1, "at most"
            ),
            Ratio("sentences in a second, parallel-decoder / decoder-pretrained", speed, 50.0, "at least"),
        ),
        agreement={
            f"token accuracy, decoder-pretrained after {1 + chosen.measured} epochs": _accuracy(few, drawn),
            "token accuracy, parallel-decoder": _accuracy(asked, read),
            "token accuracy, parallel-decoder, asking the encoder": _accuracy(asked, checked),
        },
        setting=asdict(chosen),
        notes=(
            f"decoder-pretrained: {chosen.measured} epochs are measured and scaled up to {epochs}; no tuning",
            f"{len(known)} public sentences; {len(few)} and {len(asked)} private ones are read and scaled to 1,000",
            f"either reads {chosen.warming} rows before, which do not count: what is loaded at first use is left out",
            "one thread each; embedding the texts beforehand is in no figure",
        ),
    )


def _encoder(chosen: Setting) -> Target:
    kinds: dict[str, type[Target]] = {"sentence-encoder": SentenceEncoder, "fake-encoder": FakeEncoder}
    return kinds[chosen.encoder]()


def _embedded(target: Target, corpus: Corpus) -> tuple[Grant, tuple[Secret, ...]]:
    """The rows of all texts, and what is behind each."""
    grant = target.open(target.train(corpus, np.random.default_rng(0)))
    secrets = [
        Secret(id=str(row), hint=LeakedRow(row=row), answer=RowContent(tokens=text.tokens, words=tuple(text.keywords)))
        for row, text in enumerate(corpus)
        if text.tokens
    ]
    return grant, tuple(secrets)


def _trained_briefly(attack: PretrainedDecoder, background: Background, chosen: Setting) -> tuple[float, Knowledge]:
    """What an epoch of the paper's decoder takes, and what a few of them taught it."""
    rng, recipe = np.random.default_rng(chosen.seed), attack.options
    steps = {"learning_rate": recipe.learning_rate, "batch_size": recipe.batch_size}
    sentences, words, _ = attack.practised(background)
    with settled(rng):
        model = attack.untrained(sentences, len(words))
        fit(model, sentences, rng, epochs=1, **steps)
        seconds, losses = _timed(lambda: fit(model, sentences, rng, epochs=chosen.measured, **steps))
    learnt = attack.kept(model, words, losses)
    return seconds / chosen.measured, Knowledge(learnt.values, learnt.arrays)


def _prepared(attack: Attack, background: Background, chosen: Setting) -> Knowledge:
    learnt = attack.prepare(background, np.random.default_rng(chosen.seed))
    return Knowledge(learnt.values, learnt.arrays, background.practice if attack.asks_practice else ())


def _guessed(
    attack: Attack, grant: Grant, asked: tuple[Secret, ...], learnt: Knowledge, chosen: Setting
) -> dict[str, Ranking]:
    hints = {secret.id: secret.hint for secret in asked}
    found = attack.guess(grant, hints, learnt, np.random.default_rng(chosen.seed))
    return {guess.secret_id: guess for guess in found if isinstance(guess, Ranking)}


def _accuracy(asked: tuple[Secret, ...], found: Mapping[str, Ranking]) -> float:
    shares = []
    for secret in asked:
        assert isinstance(secret.answer, RowContent)
        shares.append(token_accuracy(secret.answer.tokens, found[secret.id].candidates[0]))
    return float(np.mean(shares))


def _timed(what: Callable[[], T]) -> tuple[float, T]:
    begin = time.perf_counter()
    found = what()
    return time.perf_counter() - begin, found


if __name__ == "__main__":
    raise SystemExit(main((__doc__ or "").splitlines()[0], measure))
