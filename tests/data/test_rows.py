"""Tests of divulge.data.rows."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.data.corpus import Corpus
from divulge.data.rows import control_rows, row_secrets, training_first
from divulge.errors import InputError
from divulge.records import Text

KEY = b"k" * 32


def corpus(words: str) -> Corpus:
    """One training text of one word each."""
    return Corpus(tuple(Text((word,), keywords=(word.upper(),)) for word in words.split()), name="small")


def test_training_texts_come_first_and_keep_their_order():
    """So a row has one number, whether a reader counts training texts or all."""
    texts = Corpus(
        (
            Text(("a",), split="test"),
            Text(("b",)),
            Text(("c",), split="valid"),
            Text(("d",)),
            Text(("e",), split="test"),
        )
    )
    ordered = training_first(texts)
    assert [text.tokens[0] for text in ordered] == ["b", "d", "a", "c", "e"]
    assert ordered.texts[:2] == ordered.split("train").texts


def test_a_secret_is_a_row_number_and_what_stands_behind_it():
    """Keywords are a set in sorted order."""
    texts = Corpus((Text(("x",)), Text(("we", "saw", "rome", "and", "oslo"), keywords=("rome", "oslo", "rome"))))
    secret = row_secrets(texts, None, np.random.default_rng(0), KEY)[1]
    assert secret.hint.row == 1
    assert secret.answer.tokens == ("we", "saw", "rome", "and", "oslo")
    assert secret.answer.words == ("oslo", "rome")


def test_rows_without_text_and_other_splits_do_not_leak():
    """Empty texts keep their number but are no secret."""
    texts = Corpus((Text(("a",)), Text(()), Text(("c",)), Text(("d",), split="test")))
    assert [secret.hint.row for secret in row_secrets(texts, None, np.random.default_rng(0), KEY)] == [0, 2]


def test_without_a_training_split_every_text_may_leak():
    """Whoever audits the test split alone means its texts; one training text is enough to mean those alone."""
    texts = Corpus((Text(("a",), split="test"), Text((), split="test"), Text(("c",), split="valid")), name="small")
    secrets = row_secrets(texts, None, np.random.default_rng(0), KEY)
    assert [(secret.hint.row, secret.answer.tokens) for secret in secrets] == [(0, ("a",)), (2, ("c",))]
    with pytest.raises(InputError, match=r"small: 3 texts are needed.*Found 2"):
        row_secrets(texts, 3, np.random.default_rng(0), KEY)
    ordered = training_first(Corpus((*texts.texts, Text(("d",)))))
    (only,) = row_secrets(ordered, None, np.random.default_rng(0), KEY)
    assert (only.hint.row, only.answer.tokens) == (0, ("d",))


def test_which_rows_leak_is_chance():
    """Over 2,000 draws each of 5 rows is among the 2 drawn 800 times (standard deviation sqrt(2000*0.24) = 21.9)."""
    texts = corpus("a b c d e")
    times: Counter[int] = Counter()
    for seed in range(2000):
        rows = [secret.hint.row for secret in row_secrets(texts, 2, np.random.default_rng(seed), KEY)]
        assert rows == sorted(set(rows))
        times.update(rows)
    assert len(times) == 5
    assert all(abs(seen - 800) < 5 * 21.9 for seen in times.values())


def test_too_few_rows_are_told_with_both_numbers():
    """More rows than texts cannot leak, and an empty corpus has none."""
    with pytest.raises(InputError, match=r"small: 4 training texts are needed.*Found 3"):
        row_secrets(corpus("a b c"), 4, np.random.default_rng(0), KEY)
    with pytest.raises(InputError, match="Found 0"):
        row_secrets(corpus(""), None, np.random.default_rng(0), KEY)


def test_ids_do_not_depend_on_which_rows_were_drawn():
    """The same row has the same id in another draw."""
    texts = corpus("a b c d e f")
    ids = {secret.hint.row: secret.id for secret in row_secrets(texts, None, np.random.default_rng(0), KEY)}
    assert len(set(ids.values())) == 6
    assert all(ids[secret.hint.row] == secret.id for secret in row_secrets(texts, 3, np.random.default_rng(7), KEY))


def test_controls_are_the_same_rows_with_texts_of_other_rows():
    """Each answer is used once, none at its own row, and ids are new."""
    secrets = row_secrets(corpus("a b c d e"), None, np.random.default_rng(0), KEY)
    controls = control_rows(secrets, KEY, np.random.default_rng(0))
    assert [secret.hint for secret in controls] == [secret.hint for secret in secrets]
    assert sorted(secret.answer.tokens for secret in controls) == sorted(secret.answer.tokens for secret in secrets)
    assert all(own.answer != other.answer for own, other in zip(secrets, controls, strict=True))
    assert not {secret.id for secret in secrets} & {secret.id for secret in controls}
    assert all(secret.answer.words == (secret.answer.tokens[0].upper(),) for secret in controls)


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=6), st.integers(0, 50))
def test_no_row_keeps_its_text_and_as_many_as_possible_take_part(words, seed):
    """Compared with every exchange there is: no other one leaves fewer rows with their own text."""
    secrets = row_secrets(corpus(" ".join(words)), None, np.random.default_rng(0), KEY)
    controls = control_rows(secrets, KEY, np.random.default_rng(seed))
    fewest = min(sum(a == b for a, b in zip(words, order, strict=True)) for order in permutations(words))
    assert len(controls) == len(words) - fewest
    assert all(secret.answer.tokens[0] != words[secret.hint.row] for secret in controls)


def test_exchanges_are_random():
    """Over 1,200 draws each of the other 3 texts comes to row 0 about 400 times (standard deviation 16.3)."""
    secrets = row_secrets(corpus("a b c d"), None, np.random.default_rng(0), KEY)
    times = Counter(control_rows(secrets, KEY, np.random.default_rng(seed))[0].answer.tokens[0] for seed in range(1200))
    assert set(times) == {"b", "c", "d"}
    assert all(abs(seen - 400) < 5 * 16.3 for seen in times.values())  # sqrt(1200 * 2/9) = 16.3


def test_no_rows_have_no_controls():
    """Nothing in, nothing out."""
    assert control_rows((), KEY, np.random.default_rng(0)) == ()
