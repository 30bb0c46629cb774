"""One classifier for each of a few keywords: is it in the text behind the row, or not (gu2023, appendix A.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import EmbeddedRowsAccess
from divulge.adversary import Background
from divulge.attacks.base import Attack
from divulge.attacks.keyword_classifiers import pooled_rows
from divulge.attacks.practice_rows import affordable_rows, keyword_names, known_rows, own_encoder, pooled
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import Part
from divulge.pieces import words_of
from divulge.records import Artefact, Guess, Hint, LeakedRow, Ranking, Record

__all__ = ["BinaryClassifiers"]


class BinaryClassifiers(Attack):
    """Asks ten trained networks about each row, one for each of ten keywords, and names those said to be there.

    Paper: gu2023, appendix A.2 and figure 6, after Pan et al.
    Needs: EmbeddedRowsAccess, pooled or not; practice rows of texts with known keywords.
    Idea: Whether one given keyword is in a text is an easier question than which of hundreds is. Each network learns
        it from as many public texts without its keyword as with it.
    Cost: one row read per secret; at most so many keywords can ever be found as there are networks.
    Differs from the paper: rows are pooled by their mean, where the paper does not say how; the network is that of
        its multi-class classifier (250 and 100 units, Adam at 1e-4, batches of 100, 250 epochs), where it does not say
        which; keywords are drawn from those of at least `fewest` public texts.
    """

    name = "binary-classifiers"
    summary = "ten networks, each of which looks for one keyword"
    requires = (EmbeddedRowsAccess,)
    hints = (LeakedRow,)
    needs_practice = True
    trial: ClassVar[Mapping[str, Any]] = {"epochs": 60, "learning_rate": 2e-3}

    class Options(Record):
        """How many keywords are drawn, or which `words` are taken instead, and the networks' recipe."""

        keywords: Annotated[int, Field(ge=1)] = 10
        words: tuple[str, ...] = ()
        fewest: Annotated[int, Field(ge=1)] = 5
        epochs: Annotated[int, Field(ge=1)] = 250
        batch_size: Annotated[int, Field(ge=1)] = 100
        learning_rate: Annotated[float, Field(gt=0)] = 1e-4

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Chooses the keywords and trains a network for each."""
        from divulge.attacks.networks.perceptron import HIDDEN, Recipe, Weights, fit_classes

        known = [(pooled(row), keyword_names(answer)) for row, answer in known_rows(own_encoder(background, self.name))]
        chosen = self._chosen(Counter(keyword for _, keywords in known for keyword in keywords), len(known), rng)
        recipe = Recipe(self.options.epochs, self.options.batch_size, self.options.learning_rate)
        learnt: Weights = {}
        for number, keyword in enumerate(chosen):
            there = np.array([keyword in keywords for _, keywords in known])
            present, absent = np.flatnonzero(there), rng.permutation(np.flatnonzero(~there))[: int(there.sum())]
            examples = np.concatenate([present, np.sort(absent)])
            vectors = np.stack([known[place][0] for place in examples])
            network = fit_classes(vectors, there[examples].astype(np.int64), (*HIDDEN, 2), recipe, rng)
            learnt |= {f"{number} {part}": values for part, values in network.items()}
        return Artefact(values={"keywords": chosen, "width": len(known[0][0])}, arrays=learnt)

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields the keywords that are more probably there than not, the most probable first."""
        from divulge.attacks.networks.perceptron import probabilities

        del rng
        keywords = knowledge.values["keywords"]
        networks = [_of(knowledge, number) for number in range(len(keywords))]
        for names, rows in affordable_rows(access[EmbeddedRowsAccess], hints):
            vectors = pooled_rows(rows, int(knowledge.values["width"]), self.name)
            present = np.stack([probabilities(network, vectors)[:, 1] for network in networks], axis=1)  # (rows, words)
            for name, own in zip(names, present, strict=True):
                found = [place for place in np.argsort(-own, kind="stable") if own[place] > 0.5]
                yield Ranking(
                    secret_id=name,
                    candidates=tuple(tuple(keywords[place].split()) for place in found),
                    scores=tuple(float(own[place]) for place in found),
                )

    def _chosen(self, texts_with: Counter[str], texts: int, rng: np.random.Generator) -> list[str]:
        """The keywords to look for, sorted: named ones, or some drawn from those that enough texts have."""
        fewest = self.options.fewest
        able = sorted(word for word, count in texts_with.items() if fewest <= count < texts)
        if not self.options.words:
            if len(able) < self.options.keywords:
                raise InputError(
                    f"{self.name} needs {self.options.keywords} keywords with {fewest} public texts or more each. "
                    f"Found {len(able)}: lower its keywords or fewest, or give it more public texts with keywords"
                )
            return sorted(able[place] for place in rng.permutation(len(able))[: self.options.keywords])
        wanted = sorted({" ".join(words_of([word])) for word in self.options.words})
        lacking = [word for word in wanted if word not in able]
        if lacking:
            raise InputError(
                f"{self.name} needs {fewest} public texts or more with each of its words, and one without. "
                f"{len(lacking)} of {len(wanted)} words have not: name others, or lower fewest"
            )
        return wanted

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """One row."""
        del options, hint
        return 1


def _of(knowledge: Artefact, number: int) -> dict[str, npt.NDArray[Any]]:
    """The weights of one network."""
    start = f"{number} "
    return {name.removeprefix(start): values for name, values in knowledge.arrays.items() if name.startswith(start)}
