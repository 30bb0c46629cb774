"""Twitter US Airline: a small copy of its file, and the real one where it is."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from divulge.data.city_names import CITIES
from divulge.data.loading import verify
from divulge.data.places import data_root, place_of
from divulge.data.twitter_airline import NAMED, TWEETS, TwitterAirline, cleaned, most_named
from divulge.errors import InputError

needs_files = pytest.mark.skipif(bool(TwitterAirline.missing()), reason="its file is not in the data folder")
NO_CITIES = not place_of(TwitterAirline.folder(), CITIES).is_file()


def small_copy(root: Path, tweets: list[str]) -> Path:
    """The file with these tweets."""
    (root / "twitter-airline").mkdir()
    path = root / "twitter-airline" / TWEETS
    lines = "".join('{},neutral,"{}"\n'.format(i, tweet.replace('"', '""')) for i, tweet in enumerate(tweets))
    path.write_bytes(gzip.compress(("tweet_id,airline_sentiment,text\n" + lines).encode()))
    return path


def test_a_small_copy_loads(tmp_path: Path) -> None:
    """Only tweets that name one of the cities are kept, in any case, each once."""
    tweets = [
        "@united to BOSTON\nor las vegas?",
        "to Boston or Paris",
        "@jetblue to Boston or Paris",
        "no city",
        "Mobile",
    ]
    small_copy(tmp_path, tweets)
    corpus = TwitterAirline({"private": 0.5}).load(tmp_path)
    assert {text.tokens: text.keywords for text in corpus} == {
        ("to", "BOSTON", "or", "las", "vegas?"): ("Boston", "Las Vegas"),
        ("to", "Boston", "or", "Paris"): ("Boston",),
    }
    assert Counter(text.split for text in corpus) == {"train": 1, "test": 1}


@pytest.mark.parametrize(
    ("tweet", "left"),
    [
        ("@United: hi &amp; bye http://t.co/aBc.", ": hi & bye"),
        ("see WWW.x.com and a@b.com &lt;3", "see and a@b.com <3"),
        (".@united #Denver", ". #Denver"),
    ],
)
def test_tweets_are_cleaned(tweet: str, left: str) -> None:
    """Mentions and addresses go, entities are undone, hashtags and mail addresses stay."""
    assert cleaned(tweet) == left


def test_the_most_named_cities_are_counted_in_different_tweets(tmp_path: Path) -> None:
    """Boston in two tweets, Dallas in one that was sent thrice, Rome not of the country, Mobile stopped."""
    tweets = [
        "boston",
        "Boston Boston!",
        "@a Dallas",
        "@b Dallas",
        "Dallas",
        "Rome",
        "rome",
        "Mobile",
        "my mobile",
        "Reno a",
    ]
    cities = tmp_path / "cities.csv.gz"
    names = ["Boston", "Dallas", "Reno", "Mobile"]
    rows = "".join(f"{name},United States\n" for name in names) + "Rome,Italy\n"
    cities.write_bytes(gzip.compress(("name,country\n" + rows).encode()))
    path = small_copy(tmp_path, tweets)
    assert most_named(path, cities, 1) == ["Boston"]
    assert most_named(path, cities, 2) == ["Boston", "Dallas"]


def test_absent_files_are_explained(tmp_path: Path) -> None:
    """Without the file one is told where it comes from."""
    with pytest.raises(InputError, match="1 of 1 files.*CrowdFlower"):
        TwitterAirline().load(tmp_path)


@needs_files
def test_the_real_file_has_the_stated_counts() -> None:
    """Tweets, private ones, and all twenty cities in either part."""
    corpus = TwitterAirline().load()
    assert Counter(text.split for text in corpus) == {"train": 638, "test": 159}
    assert {city for text in corpus for city in text.keywords} == set(NAMED)
    assert not any(token.startswith(("@united", "http")) for text in corpus for token in text.tokens)


@needs_files
@pytest.mark.skipif(NO_CITIES, reason="the list of cities is not in the data folder")
def test_the_named_cities_are_those_the_data_yields() -> None:
    """Twenty, by the number of tweets that name them."""
    folder = data_root() / "twitter-airline"
    assert most_named(folder / TWEETS, place_of(folder, CITIES), 20) == sorted(NAMED)


@needs_files
def test_the_real_file_is_the_one_meant() -> None:
    """Its sum matches."""
    assert [finding.as_expected for finding in verify("twitter-airline")] == [True]
