"""What a generator has memorised: how much of its accuracy on training texts hangs on single hidden units."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import Ablatable, RankedTokensAccess
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.metrics.intervals import bootstrap, mean
from divulge.probes.base import Probe
from divulge.probes.word_frequencies import Frequencies, Reading, reading, share_figure, sums_by_person
from divulge.records import Measurement, Record

__all__ = ["UnitAblation"]

Share = Annotated[float, Field(ge=0, le=1)]


class UnitAblation(Probe):
    """The accuracy on training texts once a random share of hidden units is at zero, for frequent words and the rest.

    song2019, figure 7: what hangs on few units was learnt by heart. Frequent words are the first 10 % by count in the
    training split, of the words that the model knows; words that it does not know are left out. Accuracy is a mean over
    several draws of units. Its interval covers people, who are resampled (texts, where it is not known whose they are;
    n is how many have such words), and draws. Train without dropout, as the paper does: dropout is ablation by itself.

    Says nothing of a model whose units cannot be reached: another kind of generator, or one behind a defence of its
    answers.
    """

    name = "unit-ablation"
    summary = "accuracy on training texts with a share of hidden units at zero, for frequent and rare words"
    requires = (RankedTokensAccess,)
    of_units = True
    on_request = True

    class Options(Record):
        """Which words are frequent, the shares of units at zero, how often units are drawn, how many texts are read."""

        frequent: Annotated[float, Field(gt=0, lt=1)] = 0.1
        ablated: Annotated[tuple[Share, ...], Field(min_length=1)] = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
        draws: Annotated[int, Field(ge=1)] = 5
        most_texts: Annotated[int, Field(ge=1)] | None = None

    def measure(self, access: Grant, corpus: Corpus, rng: np.random.Generator) -> list[Measurement]:
        """Measures train_accuracy by words and by the share of units ablated."""
        target = next((one for one in access.accesses if isinstance(one, Ablatable)), None)
        whole = reading(corpus.split("train"), access[RankedTokensAccess])
        frequencies = Frequencies(whole.tokens, access[RankedTokensAccess].vocabulary)
        if target is None or not len(frequencies):
            return []
        texts = self._some(corpus.split("train"), access[RankedTokensAccess], rng)
        groups = frequencies.groups(frequencies.ranks(texts.tokens), self.options.frequent)
        found = []
        for share in dict.fromkeys(self.options.ablated):
            times = self.options.draws if 0 < share < 1 else 1  # all units or none are always the same ones
            right = np.stack([_first(target.ablated(share, rng), texts) for _ in range(times)])
            for words, chosen in groups.items():
                if chosen.any():
                    group = {"words": words, "ablated": share}
                    sums = sums_by_person(texts.person, right.mean(axis=0) * chosen, chosen)
                    by_draw = bootstrap(right[:, chosen].mean(axis=1), mean, rng)
                    found.append(share_figure("train_accuracy", sums, group, rng, by_draw))
        return found

    def _some(self, corpus: Corpus, target: RankedTokensAccess, rng: np.random.Generator) -> Reading:
        """All training texts, or as many as asked for, drawn at random."""
        spoken = [text for text in corpus if text.tokens]
        if self.options.most_texts is not None and self.options.most_texts < len(spoken):
            drawn = np.sort(rng.choice(len(spoken), self.options.most_texts, replace=False))
            spoken = [spoken[number] for number in drawn]
        return reading(spoken, target)


def _first(access: RankedTokensAccess, texts: Reading) -> npt.NDArray[np.bool_]:
    """Whether each token ranks first."""
    return np.asarray(np.concatenate(access.ranks(texts.passages)) == 0)
