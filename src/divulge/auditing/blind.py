"""What the texts alone give away about who was in: a judge that never asks the model, and knows the answers of others.

Members and non-members that were not drawn by chance often differ by themselves, by year or by topic, and then any
attack on the model looks like a success. So each record is judged by a classifier that learnt on the other records,
with their answers, what members look like: five folds, words, how they begin and end, label, tags and length; no model.
People whom the data parted, and not chance, are judged in the same way: by their words, and by the manner of their
texts. The attack `blind`, which learns on the adversary's own people, drawn by chance, would find nothing there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from divulge.auditing.traits import manner
from divulge.data.cases import Case
from divulge.records import Artefact, FloatArray, Member, RecordText, UserTexts, Verdict
from divulge.seeds import generator

__all__ = ["JUDGE", "judged_by_manner", "judged_by_texts", "with_blind"]

JUDGE = 1  # raised when people are judged otherwise

FOLDS = 5
WORDS = 2**12  # places that words are hashed to


def with_blind(
    case: Case | None, needs: Mapping[str, Artefact], seed: int, *, people: bool = False
) -> dict[str, Artefact]:
    """What is to be measured and, of records and of people whom no chance parted, what texts alone say as baseline."""
    blind = None if case is None else judged_by_texts(case, seed)
    if people and case is not None:
        outside: Any = needs["attack"].values.get("outside", {})
        blind = judged_by_manner(case, outside, seed)
    return {**needs, **({} if blind is None else {"baseline": blind})}


def judged_by_texts(case: Case, seed: int) -> Artefact | None:
    """Verdicts about the records of a case, as the artefact of an attack would hold them; None for other secrets."""
    if not case.secrets or not all(isinstance(secret.hint, RecordText) for secret in case.secrets):
        return None
    used = np.array([isinstance(secret.answer, Member) and secret.answer.used for secret in case.secrets])
    statistics = _statistics([_words(secret.hint) for secret in case.secrets], used, seed)
    verdicts = [
        Verdict(secret_id=secret.id, statistic=float(value)).model_dump(mode="json")
        for secret, value in zip(case.secrets, statistics, strict=True)
    ]
    return Artefact(values={"attack": verdicts})


def judged_by_manner(case: Case, outside: Mapping[str, float], seed: int) -> Artefact | None:
    """Verdicts about the people of a case, by two judges whose log-odds are summed up: of words, and of manner.

    `outside` tells of each the share of words that the model has not, which may be the members' own doing.
    """
    people = [(secret, secret.hint) for secret in case.secrets if isinstance(secret.hint, UserTexts)]
    if not people or len(people) < len(case.secrets):
        return None
    used = np.array([isinstance(secret.answer, Member) and secret.answer.used for secret, _ in people])
    rng = generator(seed, "blind")
    if min(used.sum(), (~used).sum()) < FOLDS:
        statistics = rng.normal(size=len(used))
    else:
        words = [[word for passage in hint.examples for word in passage.tokens] for _, hint in people]
        manners = np.array([(*manner(hint), outside.get(secret.id, 0.0)) for secret, hint in people])
        scaled = (manners - manners.mean(axis=0)) / np.maximum(manners.std(axis=0), 1e-9)
        statistics = _standard(_crossed(_hashed(words), used, rng)) + _standard(_crossed(scaled, used, rng))
    verdicts = [
        Verdict(secret_id=secret.id, statistic=float(value)).model_dump(mode="json")
        for (secret, _), value in zip(people, statistics, strict=True)
    ]
    return Artefact(values={"attack": verdicts})


def _standard(odds: FloatArray) -> FloatArray:
    """On a scale of its own: the judge of many words is the more timid one, and not the worse."""
    return np.asarray((odds - odds.mean()) / max(float(odds.std()), 1e-9), dtype=np.float64)


def _statistics(texts: list[list[str]], used: np.ndarray, seed: int) -> FloatArray:
    """The log-odds of each record by the judge of the other folds; chance where there are too few to learn on."""
    from scipy.sparse import csr_matrix, hstack

    rng = generator(seed, "blind")
    if min(used.sum(), (~used).sum()) < FOLDS:
        return rng.normal(size=len(used))
    lengths = csr_matrix(np.log1p([[len(text)] for text in texts]))
    return _crossed(hstack([_hashed(texts), lengths]).tocsr(), used, rng)


def _hashed(texts: list[list[str]]) -> Any:
    from sklearn.feature_extraction.text import HashingVectorizer

    return HashingVectorizer(analyzer=lambda text: text, n_features=WORDS, alternate_sign=False).transform(texts)


def _crossed(table: Any, used: np.ndarray, rng: np.random.Generator) -> FloatArray:
    """The log-odds of each row by the judge of the other folds."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold

    found = np.empty(len(used))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=int(rng.integers(2**31)))
    for learnt, judged in folds.split(table, used):
        judge = LogisticRegression(max_iter=1000).fit(table[learnt], used[learnt])
        # Folds have offsets of their own: each is put on the scale of its own learning records.
        found[judged] = judge.decision_function(table[judged]) - np.median(judge.decision_function(table[learnt]))
    return found


def _words(hint: object) -> list[str]:
    assert isinstance(hint, RecordText)
    told = [f"label {hint.label}"] if hint.label is not None else []
    tags = [(word, tag) for word, tag in zip(hint.tokens, hint.tags or (), strict=False)]
    told += [f"tag {tag}" for _, tag in tags] + [f"{word} tag {tag}" for word, tag in tags]
    # Numbers and names differ from text to text; how they begin and end may tell of another year or another source.
    ends = [f"begins {word[:2]}" for word in hint.tokens] + [f"ends {word[-2:]}" for word in hint.tokens]
    return [*hint.context, *hint.tokens, *told, *ends]
