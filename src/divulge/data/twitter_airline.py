"""Twitter US Airline: tweets to airlines that name one of twenty cities of the United States."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from divulge.data.base import DataSet
from divulge.data.city_names import CityNames, read_city_names
from divulge.data.corpus import Corpus
from divulge.data.files.delimited import read_named
from divulge.data.files.problems import Problems
from divulge.data.places import DataFile
from divulge.data.private_part import PrivatePart, distinct, with_private_part
from divulge.records import Text

__all__ = ["NAMED", "TwitterAirline", "cleaned", "most_named"]

TWEETS = "Tweets.csv.gz"
NAMED = (
    "Atlanta", "Austin", "Boston", "Buffalo", "Charlotte", "Chicago", "Columbus", "Dallas", "Denver", "Houston",
    "Las Vegas", "Miami", "Nashville", "Newark", "Orlando", "Philadelphia", "Phoenix", "San Diego", "Seattle", "Tampa",
)  # fmt: skip
ADDRESS = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
MENTION = re.compile(r"(?<![\w@])@\w+")


class TwitterAirline(DataSet):
    """797 distinct tweets, each with keywords; 20 distinct cities. 638 public and 159 private.

    The cities are the twenty of the United States that the tweets name most often, in any case, after the stop list
    that the set `skytrax` has too. Mentions (@name) and addresses of pages are taken off, HTML entities undone. gu2023
    has about 5,000 tweets, and does not print its twenty cities nor how their acronyms were counted; here codes of
    airports are no names.
    """

    name = "twitter-airline"
    summary = "Tweets to airlines that name one of 20 US cities, which are the keywords (after Gu et al. 2023)."
    fields = ("keywords",)
    splits = ("train", "test")
    source = (
        "Twitter US Airline Sentiment (CrowdFlower, February 2015): GitHub fred465f/Airline_sentiment_repo, commit "
        "2ea0543dd27cd5eb9cc9ec991ba2d3c4622ccd2b, Tweets.csv, gzipped."
    )
    licence = "None stated in the repositories that carry the file."
    files = (
        DataFile(path=TWEETS, size=1118027, sha256="dccc05ce24e3a936d047847e9acf257d255a667f2acc3d723c90733bdaad0a39"),
    )

    class Options(PrivatePart):
        """How the private part is drawn."""

    def load(self, root: Path | None = None) -> Corpus:
        """Reads the tweets that name a city, those of the public part first."""
        cities = CityNames(NAMED, any_case=True)
        texts = (
            Text(tuple(tweet.split()), keywords=cities.found(tweet))
            for tweet in _tweets(self.require_files(root) / TWEETS)
        )
        named = distinct(text for text in texts if text.keywords)
        return Corpus(with_private_part(named, self.options, self.name), self.name)


def cleaned(tweet: str) -> str:
    """A tweet without mentions and addresses, HTML entities undone, blanks made single.

    >>> cleaned("@united  Boston &amp; back http://t.co/x #fail")
    'Boston & back #fail'
    """
    return " ".join(MENTION.sub(" ", ADDRESS.sub(" ", html.unescape(tweet))).split())


def most_named(tweets: Path, cities: Path, count: int) -> list[str]:
    """The cities of the United States that most different tweets name, sorted; this is where `NAMED` is from."""
    names = CityNames(read_city_names(cities, "United States"), any_case=True)
    times = Counter(name for tweet in _different(_tweets(tweets)) for name in names.found(tweet))
    return sorted(sorted(times, key=lambda name: (-times[name], name))[:count])


def _tweets(path: Path) -> list[str]:
    problems = Problems()
    tweets = [cleaned(tweet) for (tweet,) in read_named(path, ("text",), problems)]
    problems.finish()
    return tweets


def _different(tweets: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(tweets)
