"""Cities named in a text."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from divulge.data.city_names import ADDED, STOP_LIST, CityNames, read_city_names
from divulge.errors import InputError

NAMES = ("York", "New York", "New York City", "London", "Nice", "Montréal", "St. Louis", "Mobile", "Salvador", "Most")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("From London to New York, then London.", ("London", "New York")),
        ("New York City-York", ("New York City", "York")),
        ("New Yorkers in london", ()),
        ("Montreal/Montréal", ("Montreal", "Montréal")),
        ("St Louis and St. Louis", ("St. Louis",)),
        ("Mobile, Most of El Salvador", ()),
        ("El Salvador is not Salvador", ("Salvador",)),
        ("Nice crew, from London to Nice", ("London", "Nice")),
        ("Nice crew on LONDON", ()),
        ("", ()),
    ],
)
def test_names_are_found(line: str, found: tuple[str, ...]) -> None:
    """The longest first, each once, in order and case; stopped words are none, nor is an adjective at the beginning."""
    assert CityNames(NAMES).found(line) == found


def test_case_may_be_anything() -> None:
    """Then names are as listed, whatever the text has; the stop list holds too."""
    names = CityNames(NAMES, any_case=True)
    assert names.found("#london TO nEW yORK, mobile boarding, most of EL SALVADOR") == ("London", "New York")


def test_the_list_is_read(tmp_path: Path) -> None:
    """Each name once, with those that the list lacks; of one country if asked."""
    path = tmp_path / "cities.csv.gz"
    rows = "name,country,subcountry,geonameid\nParis,France,x,1\nParis,United States,x,2\nOslo,Norway,x,3\n"
    path.write_bytes(gzip.compress(rows.encode()))
    assert read_city_names(path) == (*ADDED, "Paris", "Oslo")
    assert read_city_names(path, "United States") == (*ADDED, "Paris")
    path.write_bytes(gzip.compress(b"city\nParis\n"))
    with pytest.raises(InputError, match="no column name, country"):
        read_city_names(path)


def test_the_stop_list_stops_what_flights_are_about() -> None:
    """Each entry is spelt as a name is, once."""
    assert {"Airport", "Mobile", "Surprise", "Normal", "Of", "Most", "Best", "University"} <= set(STOP_LIST)
    assert len(set(STOP_LIST)) == len(STOP_LIST)
    assert all(name[0].isupper() and name == name.strip() for name in STOP_LIST)
