"""Sentences beside their reconstructions, of public data sets only: what tables 3 and 4 of gu2023 show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from divulge.auditing.pooling import Attacked
from divulge.metrics.base import Scored
from divulge.metrics.questions import candidates, true_tokens
from divulge.metrics.similarity import cosine
from divulge.pieces import spoken
from divulge.records import RowContent
from divulge.seeds import generator
from divulge.spec import Study
from divulge.studies.cells import Cell
from divulge.studies.rows import Example

__all__ = ["examples_of"]


def examples_of(study: Study, cell: Cell, attack: str, parts: Sequence[Attacked]) -> Iterator[Example]:
    """The examples of one attack in one cell that the study asks for; none of data that is not known by name.

    Drawn at random among all rows, or among those whose reconstruction is alike enough: the attack's own choice.
    """
    wanted = study.examples
    named = all(file.data.name is not None for file in cell.files.values())
    if wanted is None or attack not in wanted.attacks or not named or not parts:
        return
    scored = parts[0].arms["attack"]
    found = [one for one in _pairs(scored) if wanted.above is None or one[2] > wanted.above]
    order = generator(0, "study", study.name, "examples").permutation(len(found))
    for place in order[: wanted.count].tolist():
        truth, guess, alike = found[place]
        yield Example(cell=cell.values, attack=attack, truth=truth, guess=guess, cosine=round(alike, 4))


def _pairs(scored: Scored) -> Iterator[tuple[str, str, float]]:
    for secret_id in sorted(scored.answers):
        if not isinstance(scored.answers[secret_id], RowContent):
            continue
        truth = true_tokens(scored, secret_id)
        guess = next(iter(candidates(scored, secret_id)), ())
        yield spoken(truth), spoken(guess), cosine(truth, guess)
