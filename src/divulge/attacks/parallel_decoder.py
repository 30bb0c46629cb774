"""Reads sentences off unpooled vectors: one linear decision per position, mended through the encoder if granted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess, TokenTuple
from divulge.adversary import Background
from divulge.attacks.base import Attack
from divulge.attacks.hidden_pieces import HiddenPieces, hidden_places
from divulge.attacks.piece_discriminant import PieceDiscriminant, fit_discriminant
from divulge.attacks.piece_neighbours import PieceNeighbours
from divulge.attacks.row_alignment import Alignment, find_alignment
from divulge.attacks.row_continuations import Continuations, public_rests
from divulge.attacks.row_decoding import RowDecoder
from divulge.attacks.row_search import PATIENCE, ROUND, RowSearch
from divulge.attacks.vocabulary_texts import vocabulary_texts
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Guess, Hint, LeakedRow, Ranking, Record, RowContent, Tokens

__all__ = ["ParallelDecoder"]

Single = npt.NDArray[np.float32]

BATCH = 1024  # rows decoded at once; bounds the memory
CANDIDATES = 10  # sentences told per row at most
FEW_CHECKS = 16  # of so many allowed, one is needed for a row as a rule: a sentence that fits ends the search


class ParallelDecoder(Attack):
    """Decodes every position of a leaked row at once, then lets the encoder prove or mend the sentence.

    Paper: gu2023 sets the task (definition 2); the attack is ours.
    Needs: EmbeddedRowsAccess (unpooled rows); better with EmbeddingOracleAccess; practice rows of known sentences, and
        of made-up ones where the adversary can embed texts of its own.
    Idea: A contextual vector still names its own token. A linear discriminant over the encoder's whole vocabulary,
        learnt in closed form from public sentences and from such with random tokens put in, names the token at each
        position in one pass, given the vectors around it; where that leaves a doubt, which tokens stand side by side
        in public text. Where the encoder may be asked, the sentence is embedded again: if it gives the leaked row it
        is proven, else the error at each position tells which token to try next. A text that goes on behind its row
        cannot be proven: embedded with public `continuations` it shows in which directions any continuation moves its
        vectors, and the sentence is taken that leaves least beside those. Where the encoder answers as the
        adversary's own does not (a secret rotation), texts embedded both ways give the linear map back. Where it
        learnt on rows with masked vectors, it names the tokens behind those from the vectors around them.
    Cost: one row read per secret and up to `checks` texts embedded: mostly one or two where the row is the whole text,
        some fifty where it may go on; `alignment` texts once.
    Differs from the paper: no decoder is trained; no sampling; one pass over all positions.
    """

    name = "parallel-decoder"
    summary = "a linear token decision per position over the whole vocabulary, proven or mended by embedding it again"
    requires = (EmbeddedRowsAccess,)
    hints = (LeakedRow,)
    rows = "unpooled"
    needs_practice = True
    revision = 5

    class Options(Record):
        """How the decision is learnt, and how far the encoder is asked.

        `sightings`: how often every token of the vocabulary is put into made-up texts; 0 makes none. `shrinkage` of
        the noise's covariance towards a multiple of the unit matrix; `rank` directions are kept. `checks` texts are
        embedded per row at most, among them one with each of the `continuations` where the row may not be the whole
        text, and `alignment` texts once, if the encoder answers otherwise than the adversary's.
        """

        sightings: Annotated[int, Field(ge=0)] = 2
        shrinkage: Annotated[float, Field(gt=0, le=1)] = 0.03
        rank: Annotated[int, Field(ge=1)] = 128
        checks: Annotated[int, Field(ge=0)] = 96
        continuations: Annotated[int, Field(ge=0)] = 16
        alignment: Annotated[int, Field(ge=0)] = 128

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Fits the discriminant on public sentences, and on made-up ones if there is an encoder to embed them."""
        texts, rows = self._known(background)
        rests = public_rests(texts, background.corpus)
        oracle = background.practice[0].access.get(EmbeddingOracleAccess)
        shown = {token for text in texts for token in text}
        listed = oracle.vocabulary if oracle is not None else ()
        pieces = (*listed, *sorted(shown.difference(listed)))
        place = {piece: number for number, piece in enumerate(pieces)}
        kept = rng.permutation(len(texts))[: self.options.alignment].tolist()
        made = vocabulary_texts(texts, pieces, self.options.sightings, rng, rests) if oracle is not None else []
        every = [*texts, *made]
        vectors = rows if oracle is None else [*rows, *_embedded(oracle, made)]
        labels = [
            np.array([place[token] for token in text[: len(row)]], dtype=np.int64)
            for text, row in zip(every, vectors, strict=True)
        ]
        common = np.bincount(np.concatenate(labels[: len(texts)]), minlength=len(pieces)).astype(np.float64)
        decision = fit_discriminant(
            vectors, labels, pieces, common, shrinkage=self.options.shrinkage, rank=self.options.rank
        )
        whole = [text + rest for text, rest in zip(texts, rests, strict=True)]
        beside = PieceNeighbours.of([[place[token] for token in text if token in place] for text in whole], len(pieces))
        unread = Continuations.known(texts, rests, rows, oracle, most=self.options.continuations, rng=rng)
        longest = max(len(text) for text in texts)
        masked = any(len(hidden_places(row)) for row in rows)
        hidden = HiddenPieces.learnt(rows, labels[: len(texts)], longest, rng).arrays() if masked else {}
        aligning = np.concatenate([rows[number] for number in kept]) if kept else np.empty((0, decision.width))
        lengths = np.array([len(rows[number]) for number in kept], dtype=np.int64)
        return Artefact(
            values={
                "pieces": list(pieces),
                "aligning": [list(whole[number]) for number in kept],
                "longest": longest,
                "unread": unread.values(),
            },
            arrays={
                **decision.arrays(),
                **beside.arrays(),
                **hidden,
                "aligning": aligning.astype(np.float32),
                "aligning_lengths": lengths,
            },
        )

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields for each row its sentence, and if that is not proven, others."""
        del rng
        leaked, oracle = access[EmbeddedRowsAccess], access.get(EmbeddingOracleAccess)
        decoder, unread = _decoder(knowledge), Continuations.from_values(knowledge.values["unread"])
        waiting = list(hints.items())
        alignment = None if oracle is None else _alignment(oracle, knowledge, decoder)
        while part := waiting[: self._affordable(leaked.remaining, searching=oracle is not None)]:
            waiting = waiting[len(part) :]
            rows = leaked.rows([hint.row for _, hint in part if isinstance(hint, LeakedRow)])
            self._check_shapes(rows, decoder.decision.width if alignment is None else len(alignment.matrix))
            found = [decoder.texts(one) for one in decoder.decode(alignment.applied(rows) if alignment else rows)]
            if oracle is not None and self.options.checks:
                how: dict[str, Any] = {"checks": self.options.checks, "alignment": alignment, "continuations": unread}
                found = RowSearch(decoder, oracle, **how).candidates(rows, found)
            for (secret_id, _), texts in zip(part, found, strict=True):
                yield Ranking(secret_id=secret_id, candidates=tuple(texts[:CANDIDATES]))

    def _affordable(self, left: int | None, *, searching: bool) -> int:
        """How many rows to read next: of a budget, as many as can be mended too, and at least one while it lasts."""
        if left is None:
            return BATCH
        each = _usual(self.options.checks) if searching else 1
        return min(BATCH, max(left // each, min(left, 1)))

    def _known(self, background: Background) -> tuple[list[TokenTuple], list[Single]]:
        """The adversary's own sentences and their rows, in single precision; empty ones left out."""
        texts: list[TokenTuple] = []
        rows: list[Single] = []
        for practice in background.practice:
            pairs = [(s.hint.row, s.answer) for s in practice.secrets if isinstance(s.hint, LeakedRow)]
            found = practice.access[EmbeddedRowsAccess].rows([number for number, _ in pairs])
            for (_, answer), row in zip(pairs, found, strict=True):
                if row.ndim != 2:
                    raise InputError(f"{self.name} needs unpooled rows (tokens, d). Got shape {row.shape}")
                assert isinstance(answer, RowContent | Tokens)
                length = min(len(row), len(answer.tokens))
                if length:
                    texts.append(answer.tokens[:length])
                    rows.append(row[:length].astype(np.float32))
        if len({token for text in texts for token in text}) < 2:
            raise InputError(f"{self.name} needs practice rows with known sentences: set adversary.background.corpus")
        return texts, rows

    def _check_shapes(self, rows: Sequence[FloatArray], width: int) -> None:
        for row in rows:
            if row.ndim != 2 or row.shape[1] != width:
                raise InputError(
                    f"{self.name} learnt on unpooled rows (tokens, {width}), and the leaked ones have shape "
                    f"{row.shape}: the adversary's encoder (adversary.background.target) must be of the same kind"
                )

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """One row and its sentence embedded again; then with continuations, and until nothing better is found.

        That is the dearer of the usual cases: a row that may go on, where the encoder may be asked.
        """
        del hint
        assert isinstance(options, cls.Options)
        if not 0 < options.continuations < options.checks - 1:  # else there is no room to try them
            return _usual(options.checks)
        return 1 + min(options.checks, 1 + options.continuations + PATIENCE * ROUND)


def _usual(checks: int) -> int:
    """Queries that a row takes as a rule: read, embedded again, and mended by a few more."""
    return 1 + min(checks, 1 + checks // FEW_CHECKS)


def _embedded(oracle: EmbeddingOracleAccess, texts: Sequence[TokenTuple]) -> list[Single]:
    """Rows in single precision, as encoders compute them; asked for in parts, so that twice the size is never held."""
    parts = (oracle.embed(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH))
    return [row.astype(np.float32) for part in parts for row in part]


def _alignment(oracle: EmbeddingOracleAccess, knowledge: Artefact, decoder: RowDecoder) -> Alignment | None:
    texts = [tuple(text) for text in knowledge.values["aligning"]]
    ends = np.cumsum(knowledge.arrays["aligning_lengths"])
    rows = np.split(np.asarray(knowledge.arrays["aligning"], dtype=np.float64), ends)[:-1]
    return find_alignment(oracle, texts, rows, lambda found: [decoder.texts(one)[0] for one in decoder.decode(found)])


def _decoder(knowledge: Artefact) -> RowDecoder:
    pieces = knowledge.values["pieces"]
    decision = PieceDiscriminant.from_arrays(pieces, knowledge.arrays)
    beside = PieceNeighbours.from_arrays(knowledge.arrays, len(pieces))
    longest = knowledge.values["longest"]
    return RowDecoder(decision, beside, longest, HiddenPieces.from_arrays(knowledge.arrays, longest))
