"""Names a keyword for each leaked row by a classifier over all keywords: the baselines of gu2023, section 9.3."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import EmbeddedRowsAccess
from divulge.adversary import Background
from divulge.attacks.base import Attack
from divulge.attacks.practice_rows import affordable_rows, keyword_names, known_rows, own_encoder, pooled
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Guess, Hint, LeakedRow, Ranking, Record

__all__ = ["DecisionTree", "DeepNetwork", "KeywordClassifier", "NearestNeighbours", "leaf_numbers", "pooled_rows"]

Numbers = npt.NDArray[np.int64]
Learnt = Mapping[str, npt.NDArray[Any]]


class KeywordClassifier(Attack):
    """Learns which keyword belongs to a pooled row, with the keywords of the public texts as classes.

    Needs: EmbeddedRowsAccess, pooled or not; practice rows of texts with known keywords.
    Idea: The binary classifiers of Pan et al., one per keyword, are made one classifier over all keywords. It names
        one keyword per text, and what counts is how often that one is in the text.
    Cost: one row read per secret.
    Differs from the paper: which pooling the paper's rows have is not said; here it is the mean over the row's
        vectors, and a row that is pooled already is taken as it is. A text with several keywords is one example for
        each of them, one without any is none; the paper says neither. `guesses` above 1 names further keywords.
    """

    requires = (EmbeddedRowsAccess,)
    hints = (LeakedRow,)
    needs_practice = True

    class Options(Record):
        """How many keywords are named for each text; gu2023 counts one prediction."""

        guesses: Annotated[int, Field(ge=1)] = 1

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Fits the classifier to pairs of a public text and one of its keywords."""
        vectors: list[FloatArray] = []
        named: list[str] = []
        for row, answer in known_rows(own_encoder(background, self.name)):
            keywords = keyword_names(answer)
            vectors += [pooled(row)] * len(keywords)
            named += keywords
        classes = sorted(set(named))
        if len(classes) < 2:
            raise InputError(
                f"{self.name} needs public texts with at least two different keywords. Found {len(classes)}: "
                "set adversary.background.corpus to texts that come with keywords"
            )
        number = {name: place for place, name in enumerate(classes)}
        labels = np.array([number[name] for name in named], dtype=np.int64)
        learnt = self._fit(np.stack(vectors), labels, len(classes), rng)
        return Artefact(values={"classes": classes, "width": len(vectors[0])}, arrays=learnt)

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields the most probable keywords of each row; of equals the first by name."""
        del rng
        classes = knowledge.values["classes"]
        for names, rows in affordable_rows(access[EmbeddedRowsAccess], hints):
            vectors = pooled_rows(rows, int(knowledge.values["width"]), self.name)
            scores = self._scores(vectors, len(classes), knowledge.arrays)  # (rows, classes)
            order = np.argsort(-scores, axis=1, kind="stable")[:, : self.options.guesses]
            for name, best, own in zip(names, order, scores, strict=True):
                chosen = [place for place in best if own[place] > 0]
                yield Ranking(
                    secret_id=name,
                    candidates=tuple(tuple(classes[place].split()) for place in chosen),
                    scores=tuple(float(own[place]) for place in chosen),
                )

    @abstractmethod
    def _fit(self, vectors: FloatArray, labels: Numbers, classes: int, rng: np.random.Generator) -> Learnt:
        """Learns from vectors, (n, d), and the number of the class of each."""

    @abstractmethod
    def _scores(self, vectors: FloatArray, classes: int, learnt: Learnt) -> FloatArray:
        """The probability of each class for each vector; (n, classes)."""

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """One row."""
        del options, hint
        return 1


class DecisionTree(KeywordClassifier):
    """Names the keyword of the leaf that a pooled row falls into.

    Paper: gu2023, section 9.3: criterion gini, all else as scikit-learn has it by default.
    """

    name = "decision-tree"
    summary = "a decision tree over pooled vectors names a keyword"

    def _fit(self, vectors: FloatArray, labels: Numbers, classes: int, rng: np.random.Generator) -> Learnt:
        from sklearn.tree import DecisionTreeClassifier

        del classes
        fitted = DecisionTreeClassifier(criterion="gini", random_state=int(rng.integers(2**31)))
        tree = fitted.fit(vectors, labels).tree_
        # A share per node and class would be a gigabyte: leaves are nearly pure, so what is not zero is kept.
        shares = np.where(tree.children_left[:, None] < 0, tree.value[:, 0], 0.0)
        nodes, held = np.nonzero(shares)
        return {
            "left": tree.children_left,
            "right": tree.children_right,
            "feature": tree.feature,
            "threshold": tree.threshold,
            "leaf": nodes,
            "class": held,
            "share": shares[nodes, held],
        }

    def _scores(self, vectors: FloatArray, classes: int, learnt: Learnt) -> FloatArray:
        leaves = leaf_numbers(vectors, learnt)
        starts, ends = (np.searchsorted(learnt["leaf"], leaves, side) for side in ("left", "right"))
        scores = np.zeros((len(vectors), classes))
        for row, (start, end) in enumerate(zip(starts, ends, strict=True)):
            scores[row, learnt["class"][start:end]] = learnt["share"][start:end]
        return scores


class NearestNeighbours(KeywordClassifier):
    """Names the keyword that most of the nearest public rows have.

    Paper: gu2023, section 9.3: five neighbours, uniform weights, algorithm auto, as scikit-learn has them.
    """

    name = "knn"
    summary = "the nearest public vectors name a keyword"

    class Options(KeywordClassifier.Options):
        """How many neighbours vote, and how many keywords are named for each text."""

        neighbours: Annotated[int, Field(ge=1)] = 5

    def _fit(self, vectors: FloatArray, labels: Numbers, classes: int, rng: np.random.Generator) -> Learnt:
        del classes, rng
        return {"vectors": vectors, "labels": labels}

    def _scores(self, vectors: FloatArray, classes: int, learnt: Learnt) -> FloatArray:
        from sklearn.neighbors import KNeighborsClassifier

        voters = min(self.options.neighbours, len(learnt["labels"]))
        model = KNeighborsClassifier(n_neighbors=voters, weights="uniform", algorithm="auto")
        scores = np.zeros((len(vectors), classes))
        model.fit(learnt["vectors"], learnt["labels"])
        scores[:, model.classes_] = model.predict_proba(vectors)
        return scores


class DeepNetwork(KeywordClassifier):
    """Names the keyword that a network of two hidden layers finds most probable.

    Paper: gu2023, section 9.3: layers of 250 and 100 units, cross-entropy, Adam at 1e-4, batches of 100, at most 250
        epochs. "At most" may mean that training was stopped early, but no rule is printed: here it never is.
    """

    name = "dnn"
    summary = "a network of two hidden layers over pooled vectors names a keyword"
    trial: ClassVar[Mapping[str, Any]] = {"epochs": 40, "learning_rate": 2e-3}

    class Options(KeywordClassifier.Options):
        """The recipe, and how many keywords are named for each text."""

        epochs: Annotated[int, Field(ge=1)] = 250
        batch_size: Annotated[int, Field(ge=1)] = 100
        learning_rate: Annotated[float, Field(gt=0)] = 1e-4

    def _fit(self, vectors: FloatArray, labels: Numbers, classes: int, rng: np.random.Generator) -> Learnt:
        from divulge.attacks.networks.perceptron import HIDDEN, Recipe, fit_classes

        recipe = Recipe(self.options.epochs, self.options.batch_size, self.options.learning_rate)
        return fit_classes(vectors, labels, (*HIDDEN, classes), recipe, rng)

    def _scores(self, vectors: FloatArray, classes: int, learnt: Learnt) -> FloatArray:
        from divulge.attacks.networks.perceptron import probabilities

        del classes
        return probabilities(learnt, vectors)


def pooled_rows(rows: list[FloatArray], width: int, name: str) -> FloatArray:
    """Leaked rows as one vector each, (n, width); refuses those of another width."""
    wrong = next((row.shape for row in rows if row.shape[-1] != width), None)
    if wrong is not None:
        raise InputError(
            f"{name} learnt on rows of width {width}, and the leaked ones have shape {wrong}: the adversary's encoder "
            "(adversary.background.target) must be of the same kind"
        )
    return np.stack([pooled(row) for row in rows])


def leaf_numbers(vectors: FloatArray, tree: Learnt) -> Numbers:
    """The leaf that each vector falls into: left where its feature is at most the threshold; (n,)."""
    shown = vectors.astype(np.float32)  # as scikit-learn compares them
    places = np.zeros(len(vectors), dtype=np.int64)
    rows = np.arange(len(vectors))
    while True:
        inner = tree["left"][places] >= 0
        if not inner.any():
            return places
        goes_left = shown[rows, np.where(inner, tree["feature"][places], 0)] <= tree["threshold"][places]
        places = np.where(inner, np.where(goes_left, tree["left"][places], tree["right"][places]), places)
