"""The verdict rule of study tables."""

import pytest

from divulge.metrics import METRICS
from divulge.studies.verdicts import OWNERS_METRICS, better_when, table_verdict


@pytest.mark.parametrize(
    ("metric", "published", "interval", "said"),
    [
        ("accuracy", 0.5, (0.3, 0.6), "reproduced"),
        ("accuracy", 0.3, (0.3, 0.6), "reproduced"),  # the ends belong to the interval
        ("accuracy", 0.6, (0.3, 0.6), "reproduced"),
        ("accuracy", 0.5, (0.25, 0.75), "undecided"),  # half-width 0.25
        ("accuracy", 0.5, (0.25, 0.65), "reproduced"),  # half-width 0.2, the largest
        ("accuracy", 0.5, (0.25, 0.67), "undecided"),  # half-width 0.21
        ("accuracy", 0.2, (0.3, 0.6), "better"),
        ("accuracy", 0.7, (0.3, 0.6), "worse"),
        ("hdt", 0.7, (0.3, 0.6), "better"),  # lower is better
        ("hdt", 0.2, (0.3, 0.6), "worse"),
        ("rank", 50.0, (1.0, 3.0), "better"),
        ("test_perplexity", 50.0, (60.0, 70.0), "worse"),
        ("test_accuracy", 0.2, (0.3, 0.6), "better"),
        ("accuracy", 0.2, (0.3, 0.9), "better"),  # however wide, as long as it lies apart
    ],
)
def test_an_interval_is_compared_with_the_print(
    metric: str, published: float, interval: tuple[float, float], said: str
) -> None:
    """Inside and narrow, inside and wide, or wholly on one side."""
    low, high = interval
    assert table_verdict(metric, published, (low + high) / 2, low, high) == said


@pytest.mark.parametrize("missing", range(4))
def test_a_missing_number_is_not_comparable(missing: int) -> None:
    """Without the print, our value or either end nothing is compared."""
    numbers: list[float | None] = [0.5, 0.5, 0.4, 0.6]
    numbers[missing] = None
    assert table_verdict("accuracy", *numbers) == "not comparable"


def test_every_metric_has_a_better_side() -> None:
    """Those of attacks say it themselves; those of probes are listed here, and no name is in both."""
    assert not set(METRICS) & set(OWNERS_METRICS)
    assert {name: better_when(name) for name in METRICS if better_when(name) == "low"} == {"hdt": "low", "rank": "low"}
    assert better_when("train_perplexity") == "low"
