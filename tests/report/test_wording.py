"""Plain words."""

import pytest
from tests.report.sample import figure

from divulge.access import LEVELS
from divulge.metrics import METRICS
from divulge.records import Measurement
from divulge.report.wording import (
    ADVERSARIES,
    METRIC_WORDS,
    Spoken,
    adversary_words,
    counted,
    figure_words,
    group_words,
    interval_words,
    listed,
    metric_words,
    number_words,
    question,
    spoken,
    way,
    with_metric_words,
)


def plain(text: str) -> str:
    """Without spaces that do not break."""
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ")


def test_every_metric_and_every_access_level_has_words() -> None:
    """Whoever adds one adds its words."""
    assert set(METRICS) - set(METRIC_WORDS) == set()
    assert list(ADVERSARIES) == list(LEVELS)


@pytest.mark.parametrize(
    ("value", "metric", "words"),
    [
        (0.95, "accuracy", "95 %"),
        (0.0001, "accuracy", "0.01 %"),
        (0.000001, "accuracy", "<0.001 %"),
        (0.9999, "accuracy", ">99.9 %"),
        (1.0, "accuracy", "100 %"),
        (0.0, "accuracy", "0 %"),
        (0.95, "auc", "0.95"),
        (13.28, "exposure", "13.3"),
        (0.82, "test_accuracy", "82 %"),
        (458.9, "test_perplexity", "459"),
        (0.869, "word_share", "86.9 %"),
        (-8.0, "log_probability", "-8"),
        (0.5, "of_my_own", "0.5"),
        (None, "accuracy", "–"),
    ],
)
def test_shares_are_in_per_cent_and_never_rounded_to_all_or_nothing(value, metric, words) -> None:
    """Other figures stay as they are."""
    assert plain(number_words(value, metric)) == words


def test_intervals_may_be_one_sided() -> None:
    """Both ends, one end, none."""
    assert plain(interval_words(0.83, 0.99, "accuracy")) == "83 to 99 %"
    assert interval_words(1, 2.5, "exposure") == "1 to 2.5"
    assert plain(interval_words(0.5, None, "accuracy")) == "at least 50 %"
    assert plain(interval_words(None, 0.5, "accuracy")) == "at most 50 %"
    assert interval_words(None, None, "accuracy") == ""


def test_a_measurement_is_spoken_with_its_interval_and_n() -> None:
    """Chance in closed form has neither; what could not be measured says so."""
    assert plain(spoken(figure("accuracy", 0.9, 0.8, 1.0)).whole) == "90 % (80 to 100 %, n = 40)"
    assert plain(spoken(figure("accuracy", 0.9, 0.8, 1.0)).short) == "90 % (80 to 100 %)"
    assert plain(spoken(figure("accuracy", 0.1, 0.1, 0.1, 40, "baseline")).whole) == "10 %"
    assert spoken(figure("accuracy", None, None, None)) == Spoken("not measured")
    assert spoken(None).whole == spoken(None).short == "–"


def test_metrics_are_called_by_what_they_tell() -> None:
    """The same metric is about people where people are the question; an unknown one keeps its name."""
    assert metric_words("accuracy") == "Secrets guessed entirely right"
    assert metric_words("accuracy", "users") == "People judged rightly"
    assert metric_words("auc", "users") == "People told apart (AUC)"
    assert metric_words("auc", "records", inside=True) == "records told apart (AUC)"
    assert metric_words("hdt", "canaries", inside=True) == "missing words guessed wrong"
    assert metric_words("of_my_own") == "of_my_own"


def test_the_way_is_that_of_the_metric() -> None:
    """Lower leaks more for distances and ranks."""
    assert [way(name) for name in ("accuracy", "hdt", "rank", "of_my_own")] == ["high", "low", "low", "high"]


def test_an_adversary_is_somebody() -> None:
    """Several accesses are one person; no access is nobody in particular; an unknown access keeps its name."""
    assert adversary_words(("GradientAccess",)).startswith("someone who holds the model's weights")
    assert adversary_words(("EmbeddedRowsAccess", "EmbeddingOracleAccess")).count("someone") == 1
    assert adversary_words(()) == "someone who asks the model nothing"
    assert adversary_words(("MyAccess",)) == "someone with MyAccess"


def test_a_question_names_the_model_and_the_means() -> None:
    """Where the means are known."""
    assert question("users", "m", ("RankedTokensAccess",)).endswith("trained on, from the words it offers?")
    assert question("canaries", "m") == "m: can secrets in its training texts be read out?"
    assert (
        question("records", "m", ("GradientAccess",))
        == "m: can one tell which texts it was trained on, given its weights?"
    )
    assert question("other", "m") == "m: what does it give away?"


def test_small_words() -> None:
    """Numbers with nouns, lists, groups."""
    assert (counted(1, "row"), plain(counted(12000, "row"))) == ("1 row", "12 000 rows")
    assert [listed(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
    assert group_words({"k": 10, "choice": "own", "x": 1}) == "within the first 10 guesses, own choice, x 1"
    said = group_words({"words": "rare", "seen": True, "bin": "-3..-2"})
    assert said == "rare words, in training texts, log-probability -3..-2"
    said = group_words({"frequency": "51-100", "seen": False, "ablated": 0.1})
    assert said == "words 51-100 by frequency, in new texts, with 0.1 of hidden units at zero"


def test_names_of_metrics_in_a_sentence_become_words() -> None:
    """Whole names alone, the longest first; what is no metric stays."""
    said = with_metric_words("beyond baseline by accuracy, token_accuracy and inaccuracy")
    assert said == "beyond baseline by secrets guessed entirely right, words recovered in place and inaccuracy"
    assert with_metric_words("by accuracy", "users") == "by people judged rightly"


def test_a_figure_is_called_with_what_tells_it_apart() -> None:
    """Success within ten guesses is another figure than within fifty."""
    one = Measurement(metric="success", value=0.6, n=10, arm="attack", group={"k": 10})
    assert figure_words(one) == "secrets found, within the first 10 guesses"
