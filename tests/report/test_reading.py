"""How metrics are read."""

from divulge.metrics import METRICS
from divulge.report.reading import OF_RECORDS, reading, readings


def test_every_metric_says_which_way_it_leaks() -> None:
    """Distances leak when they are low."""
    assert reading("accuracy").endswith("Higher means that more leaks.")
    assert reading("hdt").endswith("Lower means that more leaks.")


def test_records_are_no_people() -> None:
    """Where single texts are the question, nobody is found."""
    assert "person" in reading("auc", "users")
    assert "trained on" in reading("auc", "records")
    assert not any("person" in words or "people" in words for words in OF_RECORDS.values())
    assert set(OF_RECORDS) <= set(METRICS)


def test_each_is_told_once_and_points_are_not() -> None:
    """Nor is what has no words."""
    assert [name for name, _ in readings(["auc", "tpr", "auc", "of_my_own", "hdt"])] == ["auc", "hdt"]
