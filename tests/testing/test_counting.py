"""The sample function."""

from divulge.testing.counting import train


def test_it_tells_texts_apart_by_their_words() -> None:
    """Classes in the order of the alphabet, probabilities that sum to 1."""
    model = train(
        ["rain and wind", "rain again", "ball and goal", "goal again"], ["weather", "weather", "sport", "sport"]
    )
    assert list(model.classes_) == ["sport", "weather"]
    rows = model.predict_proba(["rain", "goal"])
    assert rows[0, 1] > 0.5 > rows[1, 1]
    assert abs(rows.sum() - 2) < 1e-9
