"""Tagged texts as numbers."""

import numpy as np
import pytest
import torch

from divulge.access import Supervision
from divulge.errors import InputError
from divulge.records import Text
from divulge.targets.networks.tagger import TaggerNetwork
from divulge.targets.tagged_texts import TaggedTexts, Towards, tagged
from divulge.targets.words import Words

TEXTS = [
    Text(("go", "there", "now"), "go", ("O", "B-place", "O")),
    Text(("stop",), "stop", ("O",)),
    Text(("there", "now"), "go", ("B-place", "O")),
]
TOWARDS = Towards(["go", "stop"], ["B-place", "O"])


def test_a_tagger_is_trained_on_tagged_texts_alone() -> None:
    """Texts without words are left out; texts without label or tags are an error that counts them."""
    assert tagged([*TEXTS, Text(())]) == TEXTS
    with pytest.raises(InputError, match="2 of 5 have none"):
        tagged([*TEXTS, Text(("go",), "go"), Text(("go",), None, ("O",))])
    with pytest.raises(InputError, match="there are none"):
        tagged([])


def test_labels_and_tags_are_numbered_and_padded() -> None:
    """In the order given; what is beyond a text is 0 and never read."""
    labels, tags = TOWARDS.numbers([Supervision(text.label, text.tags) for text in TEXTS], 4)
    assert labels.tolist() == [0, 1, 0]
    assert tags.tolist() == [[1, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0]]


def test_only_known_labels_and_tags_have_a_loss() -> None:
    """Validation texts with others are left out."""
    assert TOWARDS.covers(TEXTS[0])
    assert not TOWARDS.covers(Text(("go",), "fly", ("O",)))
    assert not TOWARDS.covers(Text(("go",), "go", ("B-thing",)))
    assert not TOWARDS.covers(Text(("go",), "go"))
    assert not TOWARDS.covers(Text((), "go", ()))


def test_a_question_about_unknown_tags_is_refused() -> None:
    """It says what is wrong, not with a key error."""
    TOWARDS.must_know([Supervision("go", ("O", "O"))], 2)
    with pytest.raises(InputError, match="3 words, 2 tags"):
        TOWARDS.must_know([Supervision("go", ("O", "O"))], 3)
    with pytest.raises(InputError, match="1 of those asked about are none"):
        TOWARDS.must_know([Supervision("go", ("B-thing",))], 1)


@pytest.mark.parametrize("label", ["fly", None])
def test_a_question_about_an_unknown_label_is_refused(label: str | None) -> None:
    """Also where only one of many questions is wrong."""
    good = Supervision("go", ("O",))
    with pytest.raises(InputError, match="knows 2 labels, and .* is none of them"):
        TOWARDS.asked([good, good, Supervision(label, ("O",))], 1)


def test_what_is_asked_many_times_is_numbered_for_each() -> None:
    """The same object a thousand times, or different ones in turn: row by row what single questions get."""
    one, other = Supervision("go", ("O", "B-place")), Supervision("stop", ("O", "O"))
    for items in ([one] * 5, [one, other, one, other, other], [other]):
        labels, tags = TOWARDS.asked(items, 2)
        wanted_labels, wanted_tags = TOWARDS.numbers(items, 2)
        assert torch.equal(labels, wanted_labels)
        assert torch.equal(tags, wanted_tags)
    with pytest.raises(InputError, match="3 words, 2 tags"):
        TOWARDS.asked([one] * 4, 3)


def test_the_loss_of_a_batch_is_that_of_each_text_alone() -> None:
    """Padding, order and company change nothing."""
    torch.manual_seed(0)
    words = Words(["go", "now", "stop", "there"])
    model = TaggerNetwork(words.words, 2, 2, width=4, hidden=3, layers=1, dropout=0.0).double().eval()
    texts = TaggedTexts(TEXTS, words, TOWARDS)
    assert texts.lengths.tolist() == [3, 1, 2]
    with torch.no_grad():
        together = texts.losses(model, np.array([2, 0, 1])).tolist()
        alone = [texts.losses(model, np.array([number])).item() for number in (2, 0, 1)]
    assert together == pytest.approx(alone)
    assert len(set(together)) == 3
