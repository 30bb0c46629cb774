"""Reads sentences off pooled vectors: a first guess by linear models, then corrected through the encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.adversary import Background
from divulge.attacks.base import Attack
from divulge.attacks.encoder_match import WayBack, way_back
from divulge.attacks.made_up_texts import made_up_texts
from divulge.attacks.piece_bigrams import Bigrams
from divulge.attacks.piece_effects import PieceEffects, fit_effects
from divulge.attacks.piece_presence import PiecePresence, fit_presence
from divulge.attacks.practice_rows import own_encoder
from divulge.attacks.public_sentences import Floats, Numbers, PublicSentences, pooled_rows
from divulge.attacks.sentence_edits import Desk
from divulge.attacks.sentence_search import RowSearch, search
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Guess, Hint, LeakedRow, Ranking, Record

__all__ = ["PooledInverter"]

AT_ONCE = 64  # rows searched for together
CANDIDATES = 10
NEAREST, LIKELY, MISSING = 10, 150, 40  # sentences to start from; pieces let in by their odds, by what is missing
HALF_PRECISION = 1e4  # what numbers of 16 bits hold with room to spare
FAINT = -11.0  # the log odds of a piece that no public text holds


class PooledInverter(Attack):
    """Guesses the text behind each pooled row, embeds what it could be, and corrects until the vector is met.

    Paper: gu2023 sets the task (definition 2) for pooled vectors; the attack is ours.
    Needs: EmbeddedRowsAccess (pooled rows); better with EmbeddingOracleAccess; public sentences and their encoder.
    Idea: A pooled vector is nearly linear in the pieces of its text. Logistic regressions tell which pieces it
        holds, a linear model what each piece adds to it, counts of neighbours in public texts how they follow each
        other. From the nearest public sentences on, texts are edited to where these models point, and embedded;
        what is still missing between leaked and embedded vector points to the next edit. The right text gives the
        leaked vector itself, so the attacker sees when it is done.
    Cost: one row read per secret, and up to `checks` texts embedded; fewer where the text is found and so proven. Once,
        8 public texts, to see whether the encoder is the adversary's own, and up to `rematch` if it is not. Without
        the encoder: the first guess only.
    Differs from the paper: no decoder is trained; nothing is sampled from one.
    """

    name = "pooled-inverter"
    summary = "edits a guess until the encoder turns it into the leaked pooled vector"
    requires = (EmbeddedRowsAccess,)
    hints = (LeakedRow,)
    rows = "pooled"
    needs_practice = True
    trial: ClassVar[Mapping[str, Any]] = {"made_up": 1000, "epochs": 5, "checks": 150}

    class Options(Record):
        """How long to learn and to search.

        `made_up` texts are made of public ones, and embedded, to learn from. Up to `vocabulary` pieces that no public
        text holds are looked at too. For each row at most `checks` texts are embedded, `proposals` in one round, and
        `population` guesses are kept. If the encoder that may be asked answers otherwise than the adversary's own,
        `rematch` public texts are embedded again to learn how.
        """

        made_up: Annotated[int, Field(ge=0)] = 12_000
        vocabulary: Annotated[int, Field(ge=0)] = 60_000
        epochs: Annotated[int, Field(ge=1)] = 4
        checks: Annotated[int, Field(ge=0)] = 1500
        proposals: Annotated[int, Field(ge=1)] = 50
        population: Annotated[int, Field(ge=1)] = 10
        rematch: Annotated[int, Field(ge=0)] = 1000

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Fits the linear models on public and made-up texts."""
        public = PublicSentences.known(background, self.name)
        known, oracle = len(public.pieces), own_encoder(background, self.name).access.get(EmbeddingOracleAccess)
        texts, vectors = public.texts, public.vectors.astype(np.float64)
        alone = _own_vectors(public, vectors)
        if oracle is not None:
            held = set(public.pieces)
            unseen = [piece for piece in oracle.vocabulary if piece not in held][: self.options.vocabulary]
            public = replace(public, pieces=[*public.pieces, *unseen])
            alone = np.stack(oracle.embed([(piece,) for piece in public.pieces]))
            made = made_up_texts(texts, self.options.made_up, len(public.pieces), public.longest, rng)
            if made:
                vectors = np.vstack([vectors, np.stack(oracle.embed([public.spelled(text) for text in made]))])
                texts = [*texts, *made]
        effects = fit_effects(texts, vectors, alone, len(public.texts))
        presence = fit_presence(texts, vectors, known, rng, epochs=self.options.epochs)
        kept = public.artefact()
        arrays: dict[str, npt.NDArray[Any]] = {
            "effects": _compact(effects.effects),
            "around": effects.around,
            "constant": effects.constant,
            "whitening": effects.whitening,
            "presence": _compact(presence.weights),
            "middle": presence.middle,
            "scale": presence.scale,
        }
        return Artefact(values={**kept.values, "special": effects.special}, arrays={**kept.arrays, **arrays})

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields the nearest texts found for each row."""
        leaked, oracle = access[EmbeddedRowsAccess], access.get(EmbeddingOracleAccess)
        if not hints or leaked.remaining == 0:
            return
        learnt, names = _Learnt(knowledge), list(hints)
        home = None if oracle is None else way_back(learnt.public, oracle, self.options.rematch)
        cost = 1 + (self.options.checks if oracle is not None else 0)
        while names and leaked.remaining != 0:
            budget = leaked.remaining
            count = AT_ONCE if budget is None else min(AT_ONCE, max(1, budget // cost))
            part, names = names[:count], names[count:]
            targets = self._targets(leaked, [hints[name] for name in part], learnt, home)
            rows = learnt.opened(targets, self.options.population)
            if oracle is not None:
                checks = self.options.checks if budget is None else min(self.options.checks, budget // len(part) - 1)
                search(rows, learnt.embedder(rows, oracle, home), checks, self.options.proposals, rng)
            for name, row in zip(part, rows, strict=True):
                found = row.first_guesses() if row.asked == 0 and not row.proven else [m.text for m in row.nearest]
                texts = [learnt.spelled(row, text) for text in found[:CANDIDATES]]
                yield Ranking(secret_id=name, candidates=tuple(texts))

    def _targets(
        self, leaked: EmbeddedRowsAccess, hints: Sequence[Hint], learnt: _Learnt, home: WayBack | None
    ) -> FloatArray:
        """Leaked rows as the adversary's own encoder would have made them."""
        rows = leaked.rows([hint.row for hint in hints if isinstance(hint, LeakedRow)])
        if home is None:
            return pooled_rows(rows, learnt.public.vectors.shape[1], self.name)
        return home(pooled_rows(rows, len(home.matrix), self.name))

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """One row, and at most so many texts embedded."""
        del hint
        assert isinstance(options, cls.Options)
        return 1 + options.checks


class _Learnt:
    """What was learnt, ready to be used."""

    def __init__(self, knowledge: Artefact) -> None:
        arrays, self.public = knowledge.arrays, PublicSentences.kept(knowledge)
        self.effects = PieceEffects(
            effects=arrays["effects"].astype(np.float32),
            around=arrays["around"],
            constant=arrays["constant"],
            whitening=arrays["whitening"],
            special=int(knowledge.values["special"]),
        )
        self.presence = PiecePresence(arrays["presence"].astype(np.float32), arrays["middle"], arrays["scale"])
        self.longest = self.public.longest
        self.bigrams = Bigrams(self.public.texts, len(self.public.pieces), self.longest)
        self.places = self.seen(self.public.vectors)

    def seen(self, vectors: npt.NDArray[Any]) -> Floats:
        """Vectors in the coordinates of the search."""
        return np.asarray(vectors @ self.effects.whitening, dtype=np.float32)

    def opened(self, targets: FloatArray, population: int) -> list[RowSearch]:
        """The search for each target, begun at the nearest public sentences."""
        logits = np.maximum(self.presence.logits(targets), FAINT)
        odds = np.full((len(targets), len(self.public.pieces)), FAINT, dtype=np.float32)
        odds[:, : logits.shape[1]] = logits
        return [self._row(*of, population) for of in zip(self.seen(targets), odds, strict=True)]

    def _row(self, target: Floats, odds: Floats, population: int) -> RowSearch:
        near = np.argsort(np.sum((self.places - target) ** 2, axis=1), kind="stable")[:NEAREST].tolist()
        likely = np.argsort(-odds, kind="stable")[:LIKELY].tolist()
        pieces = sorted({*likely, *(piece for number in near for piece in self.public.texts[number])})
        desk = Desk(target, np.array(pieces), odds, self.effects, self.bigrams, self.longest)
        local = {piece: place for place, piece in enumerate(pieces)}
        starts = [(tuple(local[piece] for piece in self.public.texts[n]), self.places[n]) for n in near]
        row = RowSearch(desk, starts, population)
        row.widen(MISSING)
        return row

    def embedder(
        self, rows: Sequence[RowSearch], oracle: EmbeddingOracleAccess, home: WayBack | None
    ) -> Callable[[list[Numbers], list[int]], Floats]:
        """What embeds texts of these rows' searches."""

        def embed(texts: list[Numbers], owners: list[int]) -> Floats:
            written = [self.spelled(rows[owner], text) for text, owner in zip(texts, owners, strict=True)]
            vectors = np.stack(oracle.embed(written))
            return self.seen(vectors if home is None else home(vectors))

        return embed

    def spelled(self, row: RowSearch, text: Numbers) -> tuple[str, ...]:
        """A text of a row's search in pieces."""
        return self.public.spelled(row.desk.pieces[list(text)].tolist())


def _compact(values: Floats) -> npt.NDArray[Any]:
    """In half precision, unless that would not hold them: coordinates are stretched where vectors hardly vary."""
    return values.astype(np.float16) if float(np.abs(values).max()) < HALF_PRECISION else values


def _own_vectors(public: PublicSentences, vectors: FloatArray) -> FloatArray:
    """Without an encoder: for each piece the mean vector of the sentences that hold it; (pieces, d)."""
    total, count = np.zeros((len(public.pieces), vectors.shape[1])), np.zeros(len(public.pieces))
    for text, vector in zip(public.texts, vectors, strict=True):
        for piece in set(text):
            total[piece] += vector
            count[piece] += 1
    return np.asarray(total / count[:, None])
