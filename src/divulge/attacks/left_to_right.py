"""Filling gaps from left to right: a beam of the best beginnings, each shown up to the next hole."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from divulge.records import FloatArray, Gaps

__all__ = ["Completion", "Scored", "beam_cost", "best_beginnings", "best_first", "even_share", "shown_texts"]

Completion = tuple[str, ...]
Scored = tuple[float, Completion]
Objective = Callable[[Sequence[Completion]], FloatArray]


def best_beginnings(
    hint: Gaps,
    objective: Objective,
    width: int,
    affordable: Callable[[], int | None],
    rng: np.random.Generator | None = None,
    *,
    shortlist: int | None = None,
    leader: Callable[[Sequence[Scored]], int] | None = None,
) -> list[Scored]:
    """The best completions that a beam of `width` finds, best first; none where the budget does not reach the end.

    `affordable` tells how many fillings may still be asked about; the beam narrows to what lets it reach the end, and
    nothing is asked where nothing would. With `rng`, ties are broken
    at random; without, by the order of candidates. With `shortlist`, all words of a further hole are tried only behind
    the best beginning, or that at the place in the beam that `leader` tells, and behind the others the so many words
    that did best there.
    """
    beam: list[Scored] = [(0.0, ())]
    for number, options in enumerate(hint.candidates):
        if number and shortlist is not None and leader is not None:
            beam.insert(0, beam.pop(leader(beam)))
        left = affordable()
        tried = min(len(options), shortlist or len(options))
        if left is not None:
            spare = left - sum(map(len, hint.candidates[number:]))  # each hole needs a scan at least
            beam = beam[: 0 if spare < 0 else 1 + spare // tried]
        if not beam:
            return []
        grown = [(*beam[0][1], word) for word in options]
        scores = objective(grown)
        if len(beam) > 1:
            whole = tried == len(options)
            words = options if whole else [options[place] for place in sorted(best_first(scores, rng)[:tried])]
            others = [(*filling, word) for _, filling in beam[1:] for word in words]
            grown, scores = grown + others, np.concatenate([scores, objective(others)])
        order = best_first(scores, rng)[:width]
        beam = [(float(scores[place]), grown[place]) for place in order]
    return beam


def even_share(remaining: Callable[[], int | None], secrets: int) -> Callable[[], int | None]:
    """What one of so many secrets may still ask, if each has as many questions; None: as many as it likes."""
    left = remaining()
    kept = None if left is None else left - left // secrets

    def affordable() -> int | None:
        now = remaining()
        return None if now is None or kept is None else max(0, now - kept)

    return affordable


def best_first(scores: FloatArray, rng: np.random.Generator | None = None) -> list[int]:
    """The places of scores, the highest first; ties in their order or, with `rng`, at random."""
    mixed = np.arange(len(scores)) if rng is None else rng.permutation(len(scores))
    return [int(place) for place in mixed[np.argsort(-scores[mixed], kind="stable")]]


def beam_cost(hint: Gaps, width: int, shortlist: int | None = None) -> int:
    """How many fillings a beam asks about: the candidates of the first hole, then `width` times those of each other.

    With a shortlist, only the best beginning is tried with all of them.
    """
    kept, total = 1, 0
    for words in hint.candidates:
        tried = min(len(words), shortlist or len(words))
        total += len(words) + (kept - 1) * tried
        kept = min(width, len(words) + (kept - 1) * tried)
    return total


def shown_texts(hint: Gaps, fillings: Sequence[Completion]) -> list[Completion]:
    """The text with its first holes filled, cut before the next open one; all fillings are of one length."""
    holes, filled = hint.holes, len(fillings[0]) if fillings else 0
    tokens = list(hint.tokens[: holes[filled]] if filled < len(holes) else hint.tokens)
    texts = []
    for filling in fillings:
        for place, word in zip(holes, filling, strict=False):
            tokens[place] = word
        texts.append(tuple(str(token) for token in tokens))
    return texts
