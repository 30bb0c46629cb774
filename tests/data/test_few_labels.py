"""What is said of training texts of fewer than two labels."""

from __future__ import annotations

import pytest

from divulge.data.corpus import Corpus
from divulge.data.few_labels import few_labels
from divulge.records import Text

FISH, BARE, PLANTED = Text(("a",), label="fish"), Text(("b",)), Text(("c",), label="wool", planted=True)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([FISH] * 3, "all 3 training texts have the label 'fish': "),
        ([BARE, FISH, BARE], "1 of 3 training texts have the label 'fish', the others none: "),
        ([BARE] * 2, "no training text has a label: "),
        ([BARE, PLANTED, PLANTED], "no training text has a label, beside 2 planted: "),
        ([PLANTED], "there is no training text, beside 1 planted: "),
        ([], "there is no training text: "),
    ],
)
def test_what_was_found_comes_first(texts: list[Text], said: str) -> None:
    """Counted, with what is planted apart from it; then what to do."""
    found = few_labels(Corpus(tuple(texts)))
    assert found.startswith(said)
    assert 'data.columns = { label = "..." }' in found
    assert found.endswith("or give texts of the split 'train' of at least 2 labels")
