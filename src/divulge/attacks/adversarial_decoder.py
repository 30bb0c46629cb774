"""The attack of gu2023: a transformer decoder, learnt on public rows, writes the sentence behind a leaked row."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from divulge.access import EmbeddedRowsAccess
from divulge.adversary import Background
from divulge.attacks.base import Attack
from divulge.attacks.practice_rows import affordable_rows, known_rows, own_encoder
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Guess, Hint, LeakedRow, Ranking, Record

if TYPE_CHECKING:
    from divulge.attacks.networks.decoder import Decoder
    from divulge.attacks.networks.decoder_training import Sentences
    from divulge.attacks.networks.sampling import Written

__all__ = ["AdversarialDecoder", "PretrainedDecoder", "VanillaDecoder"]

TOLD = 3  # true tokens that the authors' notebooks begin decoding with
TOGETHER = 32  # rows decoded in one batch, times the generations of each
WEIGHTS = "decoder."


class AdversarialDecoder(Attack):
    """Learns to write the sentence behind a row, then draws ten sentences for each leaked row.

    Paper: gu2023, sections 3.4, 3.5, 5, 6 and 9.3.
    Needs: EmbeddedRowsAccess (unpooled rows); practice rows of known sentences, some of them with keywords.
    Idea: A transformer decoder (6 layers, 8 heads, as wide as the rows) attends to the row's vectors and to the tokens
        written so far; cross-entropy, AdamW at 1e-4. Sentences are drawn from the 5 best tokens of each step at a
        temperature that falls from 3 to 1 over ten tokens: ten of them, each of at most 15 tokens. All are given, the
        likeliest first: by the decoder's own log-likelihood for each token at temperature 1, the end included.
    Cost: one row read per secret.
    Differs from the paper: Not printed, and chosen here: how the temperature falls (in equal steps), and vanilla's
        learning rate (1e-4, for `epochs`). Not printed, and taken from the authors' notebooks: 5 tokens drawn from at
        each step (`top_k`; the work that the falling temperature is taken from has 40), 20 epochs of tuning on texts
        with keywords (the most they take; here none is left out), feed-forward layers of 2048 units, dropout 0.1,
        batches of 60, gradients no longer than 1, positions added to the rows as to the tokens. Positions are sines;
        rows are divided by their root mean square over the practice rows, so that both weigh alike; embeddings of
        tokens are learnt. A token never sees those after it (the notebooks have no such mask, no end of sentence, a
        softened loss and a learning rate that warms up; none of that is printed). Where 8 heads do not divide the width
        of the rows, it is the largest number below that does. Which of the ten the attacker would pick is not asked
        there: the paper takes the one most like the truth. The vocabulary is that of the public texts; with
        `as_published` it is also that of the private ones, and writing begins with three true tokens, as in the
        notebooks. The temperature falls by place in the sentence, true tokens included.
    """

    requires = (EmbeddedRowsAccess,)
    hints = (LeakedRow,)
    rows = "unpooled"
    needs_practice = True
    trial: ClassVar[Mapping[str, Any]] = {
        "layers": 1,
        "heads": 4,
        "feed_forward": 64,
        "dropout": 0.0,
        "epochs": 7,
        "tuning_epochs": 1,
        "learning_rate": 0.01,
        "batch_size": 30,
        "top_k": 5,
    }

    class Options(Record):
        """The network, how it is trained, and how sentences are drawn from it."""

        layers: Annotated[int, Field(ge=1)] = 6
        heads: Annotated[int, Field(ge=1)] = 8
        feed_forward: Annotated[int, Field(ge=1)] = 2048
        dropout: Annotated[float, Field(ge=0, lt=1)] = 0.1
        epochs: Annotated[int, Field(ge=1)] = 100
        learning_rate: Annotated[float, Field(gt=0)] = 1e-4
        tuning_epochs: Annotated[int, Field(ge=0)] = 20
        tuning_rate: Annotated[float, Field(gt=0)] = 1e-5
        batch_size: Annotated[int, Field(ge=1)] = 60
        generations: Annotated[int, Field(ge=1)] = 10
        longest: Annotated[int, Field(ge=1)] = 15
        top_k: Annotated[int, Field(ge=1)] = 5
        warmest: Annotated[float, Field(ge=1)] = 3.0
        cooling: Annotated[int, Field(ge=1)] = 10
        as_published: bool = False

    @property
    def told_tokens(self) -> int:
        """Three where it is run as published, else none."""
        return TOLD if self.options.as_published else 0

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Trains the decoder; keeps its weights and its vocabulary."""
        from divulge.seeds import settled

        sentences, words, keyed = self.practised(background)
        with settled(rng):
            model = self.untrained(sentences, len(words))
            losses = self._train(model, sentences, keyed, rng)
        return self.kept(model, words, losses)

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields the sentences drawn for each row, the likeliest first."""
        leaked = access[EmbeddedRowsAccess]
        model = self._learnt(knowledge)
        words: list[str] = knowledge.values["words"]
        numbers = {word: number for number, word in enumerate(words, start=1)}
        for names, rows in affordable_rows(leaked, hints):
            for row in rows:
                self._check_width(row, model)
            # Rows of like length end together: no step is spent on sentences that have ended.
            order = sorted(range(len(names)), key=lambda place: len(rows[place]))
            for start in range(0, len(order), TOGETHER):
                part = order[start : start + TOGETHER]
                told = [_told(hints[names[place]]) if self.options.as_published else () for place in part]
                known = [[numbers.get(token, model.start) for token in first] for first in told]
                found = self._written(model, [rows[place] for place in part], known, rng)
                for place, first, drawn in zip(part, told, found, strict=True):
                    yield _ranking(names[place], drawn, words, first[: self.options.longest])

    def practised(self, background: Background) -> tuple[Sentences, list[str], Sentences]:
        """All public sentences with their rows, the vocabulary, and the sentences that have keywords."""
        from divulge.attacks.networks.decoder_training import Sentences

        practice = own_encoder(background, self.name)
        found = [(row, answer) for row, answer in known_rows(practice) if len(row) and answer.tokens]
        wrong = next((row.shape for row, _ in found if row.ndim != 2), None)
        if wrong is not None:
            raise InputError(
                f"{self.name} needs unpooled rows (tokens, d): set the encoder's pooling to 'none'. Got shape {wrong}"
            )
        if not found:
            raise InputError(f"{self.name} needs practice rows with known sentences: set adversary.background.corpus")
        told = background.told if self.options.as_published else ()
        words = sorted({*told, *(token for _, answer in found for token in answer.tokens)})
        numbers = {word: number for number, word in enumerate(words, start=1)}
        rows = [row.astype(np.float32) for row, _ in found]
        tokens = [np.array([numbers[token] for token in answer.tokens], dtype=np.int64) for _, answer in found]
        keyed = [place for place, (_, answer) in enumerate(found) if answer.words]
        longest = self.options.longest
        some = Sentences([rows[place] for place in keyed], [tokens[place] for place in keyed], longest)
        return Sentences(rows, tokens, longest), words, some

    def untrained(self, sentences: Sentences, words: int) -> Decoder:
        """A network for these sentences with weights drawn at random by torch."""
        model = self._network(words, sentences.rows[0].shape[1])
        squares = np.concatenate([np.square(row, dtype=np.float64).reshape(-1) for row in sentences.rows])
        model.scale.fill_(float(np.sqrt(squares.mean())) or 1.0)
        return model

    def kept(self, model: Decoder, words: list[str], losses: list[float]) -> Artefact:
        """The network as plain values and arrays."""
        arrays = {WEIGHTS + name: value.numpy().copy() for name, value in model.state_dict().items()}
        return Artefact(values={"words": words, "heads": model.heads, "losses": losses}, arrays=arrays)

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """One row."""
        del options, hint
        return 1

    @abstractmethod
    def _train(self, model: Decoder, sentences: Sentences, keyed: Sentences, rng: np.random.Generator) -> list[float]:
        """Trains the decoder in place, on all public sentences or on those with keywords; the losses by epoch."""

    def _network(self, words: int, width: int, heads: int | None = None) -> Decoder:
        from divulge.attacks.networks.decoder import Decoder, fitting_heads

        chosen = self.options
        heads = heads or fitting_heads(width, chosen.heads)
        return Decoder(
            words, width, heads, layers=chosen.layers, feed_forward=chosen.feed_forward, dropout=chosen.dropout
        )

    def _learnt(self, knowledge: Artefact) -> Decoder:
        import torch

        kept = {name: value for name, value in knowledge.arrays.items() if name.startswith(WEIGHTS)}
        words, width = len(knowledge.values["words"]), kept[WEIGHTS + "embedding.weight"].shape[1]
        model = self._network(words, width, knowledge.values["heads"])
        model.load_state_dict({name.removeprefix(WEIGHTS): torch.from_numpy(np.array(a)) for name, a in kept.items()})
        return model.eval().requires_grad_(False)  # noqa: FBT003 - torch's signature

    def _check_width(self, row: FloatArray, model: Decoder) -> None:
        width = model.embedding.embedding_dim
        if row.ndim != 2 or row.shape[1] != width:
            raise InputError(
                f"{self.name} learnt on unpooled rows (tokens, {width}), and the leaked ones have shape "
                f"{row.shape}: the adversary's encoder (adversary.background.target) must be of the same kind"
            )

    def _written(
        self, model: Decoder, rows: Sequence[FloatArray], told: Sequence[Sequence[int]], rng: np.random.Generator
    ) -> list[list[Written]]:
        """The sentences drawn for each row; none for a row without vectors, which has no sentence behind it."""
        from divulge.attacks.networks.sampling import Drawing, write
        from divulge.seeds import settled

        chosen = self.options
        drawing = Drawing(chosen.generations, chosen.longest, chosen.top_k, chosen.warmest, chosen.cooling)
        filled = [place for place, row in enumerate(rows) if len(row)]
        if not filled:
            return [[] for _ in rows]
        narrow = [rows[place].astype(np.float32) for place in filled]
        with settled(rng):
            written = write(model, narrow, drawing, rng, [told[place] for place in filled])
        found = dict(zip(filled, written, strict=True))
        return [found.get(place, []) for place in range(len(rows))]


class VanillaDecoder(AdversarialDecoder):
    """The decoder without pre-training: it learns from the public texts that have keywords, and from no others."""

    name = "decoder-vanilla"
    summary = "a transformer decoder learnt on the public texts with keywords, ten sentences drawn for each row"

    def _train(self, model: Decoder, sentences: Sentences, keyed: Sentences, rng: np.random.Generator) -> list[float]:
        from divulge.attacks.networks.decoder_training import fit

        if not len(keyed):
            raise InputError(
                f"{self.name} learns from public texts that have keywords, and none of these {len(sentences)} has any. "
                "Give a corpus with keywords (adversary.background.corpus), or use decoder-pretrained"
            )
        return fit(
            model,
            keyed,
            rng,
            epochs=self.options.epochs,
            learning_rate=self.options.learning_rate,
            batch_size=self.options.batch_size,
        )


class PretrainedDecoder(AdversarialDecoder):
    """The decoder learnt on all public texts, then tuned at a lower rate on those that have keywords, if any do."""

    name = "decoder-pretrained"
    summary = "a transformer decoder learnt on all public texts, tuned on those with keywords, ten sentences drawn"

    def _train(self, model: Decoder, sentences: Sentences, keyed: Sentences, rng: np.random.Generator) -> list[float]:
        from divulge.attacks.networks.decoder_training import fit

        chosen, size = self.options, self.options.batch_size
        losses = fit(model, sentences, rng, epochs=chosen.epochs, learning_rate=chosen.learning_rate, batch_size=size)
        tuning = chosen.tuning_epochs if len(keyed) else 0
        return losses + fit(model, keyed, rng, epochs=tuning, learning_rate=chosen.tuning_rate, batch_size=size)


def _told(hint: Hint) -> tuple[str, ...]:
    assert isinstance(hint, LeakedRow)
    return hint.told


def _ranking(name: str, drawn: Sequence[Written], words: Sequence[str], told: tuple[str, ...]) -> Ranking:
    """Best first, equals in the order drawn; what was told is kept as it was told."""
    ordered = sorted(drawn, key=lambda one: -one.score)
    found = [(*told, *(words[number - 1] for number in one.tokens[len(told) :])) for one in ordered]
    # Without vectors there is nothing to be written.
    return Ranking(secret_id=name, candidates=tuple(found) or (told,), scores=tuple(one.score for one in ordered))
