"""What the texts alone give away about who was in: a judge that never asks the model, and knows the answers of others.

Members and non-members that were not drawn by chance often differ by themselves, by year or by topic, and then any
attack on the model looks like a success. So each record is judged by a classifier that learnt on the other records,
with their answers, what members look like: five folds, words, how they begin and end, label, tags and length; no model.
"""

from __future__ import annotations

import numpy as np

from divulge.data.cases import Case
from divulge.records import Artefact, FloatArray, Member, RecordText, Verdict
from divulge.seeds import generator

__all__ = ["judged_by_texts"]

FOLDS = 5
WORDS = 2**12  # places that words are hashed to


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


def _statistics(texts: list[list[str]], used: np.ndarray, seed: int) -> FloatArray:
    """The log-odds of each record by the judge of the other folds; chance where there are too few to learn on."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold

    rng = generator(seed, "blind")
    if min(used.sum(), (~used).sum()) < FOLDS:
        return rng.normal(size=len(used))
    words = HashingVectorizer(analyzer=lambda text: text, n_features=WORDS, alternate_sign=False).transform(texts)
    lengths = csr_matrix(np.log1p([[len(text)] for text in texts]))
    table = hstack([words, lengths]).tocsr()
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
