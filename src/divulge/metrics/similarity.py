"""How alike two sentences are, given as tokens: the measures of gu2023, section 8.2, and a few plainer ones.

Every measure lies in [0, 1], is 1 for the truth itself and 0 for a guess without any of its words.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from divulge.pieces import SPECIAL_PIECES

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

__all__ = [
    "SPECIAL_PIECES",
    "Sentence",
    "bleu",
    "cosine",
    "exact",
    "longest_common_subsequence",
    "order_of_vectors",
    "order_similarity",
    "order_vectors",
    "rouge_l",
    "token_accuracy",
    "token_f1",
]

Sentence = tuple[str, ...]


def cosine(truth: Sentence, guess: Sentence) -> float:
    """The cosine of both sets of tokens as vectors of zeros and ones (equation 11).

    >>> round(cosine(("I", "love", "rose"), ("I", "love", "lily")), 4)
    0.6667
    """
    ours, theirs = set(truth), set(guess)
    if not ours or not theirs:
        return float(ours == theirs)
    # Exactly 1 for equal sets: the root of a product of equal sizes would round.
    return 1.0 if ours == theirs else len(ours & theirs) / math.sqrt(len(ours) * len(theirs))


def order_similarity(
    truth: Sentence, guess: Sentence, *, squared: bool = True, similar: Mapping[str, str] | None = None
) -> float:
    """Word-order similarity (equation 12), with squared norms or with the norms as they are printed.

    The paper's dog-and-fox example comes out only with squared norms, its other two examples only with the norms
    as printed. See `order_vectors` for `similar`.
    """
    if not truth or not guess:
        return float(truth == guess)
    return order_of_vectors(*order_vectors(truth, guess, similar), squared=squared)


def order_of_vectors(places: Sequence[int], found: Sequence[int], *, squared: bool) -> float:
    """One minus the norm of the difference over that of the sum; at least one place must be above zero."""
    apart = sum((place - other) ** 2 for place, other in zip(places, found, strict=True))
    together = sum((place + other) ** 2 for place, other in zip(places, found, strict=True))
    return 1 - (apart / together if squared else math.sqrt(apart / together))


def order_vectors(
    truth: Sentence, guess: Sentence, similar: Mapping[str, str] | None = None
) -> tuple[list[int], list[int]]:
    """The vectors T' and S' of definition 4: places in the truth, and where the guess has those words.

    Each occurrence is matched once, left to right. A word that is not found leaves a zero, unless `similar` names
    the word of the guess it may be taken for: the paper takes "the most similar word" and does not say by what
    measure, so none is built in. The shorter sentence is filled up with zeros.
    """
    length = max(len(truth), len(guess))
    places = [number + 1 if number < len(truth) else 0 for number in range(length)]
    found = [0] * length
    missing = []
    for place, word in enumerate(truth, start=1):
        if not _put(place, word, guess, found):
            missing.append((place, word))
    for place, word in missing:
        if similar and word in similar:
            _put(place, similar[word], guess, found)
    return places, found


def bleu(truth: Sentence, guess: Sentence, longest: int = 4) -> float:
    """Sentence BLEU up to n-grams of length `longest`, by sacrebleu: exponential smoothing, effective order."""
    if not truth or not guess:
        return float(truth == guess)
    # Tokens are numbered: they may hold blanks, and must not be split again.
    numbers = {token: str(number) for number, token in enumerate(sorted({*truth, *guess}))}
    ours, theirs = (" ".join(numbers[token] for token in sentence) for sentence in (truth, guess))
    return min(1.0, float(_bleu_scorer(longest).sentence_score(theirs, [ours]).score) / 100)


def rouge_l(truth: Sentence, guess: Sentence) -> float:
    """ROUGE-L: the F-measure of the longest common subsequence."""
    return _f_measure(longest_common_subsequence(truth, guess), truth, guess)


def longest_common_subsequence(first: Sentence, second: Sentence) -> int:
    """The length of the longest run of tokens that both have in the same order, gaps allowed."""
    above = [0] * (len(second) + 1)
    for token in first:
        row = [0]
        for column, other in enumerate(second):
            row.append(above[column] + 1 if token == other else max(above[column + 1], row[column]))
        above = row
    return above[-1]


def exact(truth: Sentence, guess: Sentence) -> float:
    """1 if the sentences are the same but for special pieces, else 0."""
    return float(_content(truth) == _content(guess))


def token_accuracy(truth: Sentence, guess: Sentence) -> float:
    """The share of the true tokens guessed at their very position; special pieces are not counted."""
    counted = [(place, token) for place, token in enumerate(truth) if token not in SPECIAL_PIECES]
    if not counted:
        return float(not _content(guess))
    return sum(place < len(guess) and guess[place] == token for place, token in counted) / len(counted)


def token_f1(truth: Sentence, guess: Sentence) -> float:
    """The F-measure of the tokens in any order, each as often as it occurs; special pieces are not counted."""
    ours, theirs = _content(truth), _content(guess)
    return _f_measure((Counter(ours) & Counter(theirs)).total(), ours, theirs)


@functools.cache
def _bleu_scorer(longest: int) -> BLEU:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=True, tokenize="none", max_ngram_order=longest)


def _f_measure(shared: int, truth: Sentence, guess: Sentence) -> float:
    return 2 * shared / (len(truth) + len(guess)) if truth or guess else 1.0


def _content(sentence: Sentence) -> Sentence:
    return tuple(token for token in sentence if token not in SPECIAL_PIECES)


def _put(place: int, word: str, guess: Sentence, found: list[int]) -> bool:
    for number, other in enumerate(guess):
        if other == word and found[number] == 0:
            found[number] = place
            return True
    return False
