"""Cities named in a text: which, and which words that look like cities are none."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from divulge.data.files.delimited import read_named
from divulge.data.files.problems import Problems
from divulge.data.places import DataFile

__all__ = ["CITIES", "CityNames", "read_city_names"]

CITIES = DataFile(
    path="../world-cities/world-cities.csv.gz",
    size=365906,
    sha256="0e07c67333bae4fb34894a13fcf391a1f06fa92f2e7b5c715aef79440e3f2184",
)

# Names of cities somewhere that mean something else in texts about flights: words, people, airlines, airports,
# countries, states and islands. Found by reading the matches in the reviews and tweets, the most frequent first.
STOP_LIST = tuple(
    name.strip()
    for name in """
    Abu, Airport, Alliance, Along, Avion, Bar, Best, Can, Central, Come, Concord, Corona, Delta, Docklands,
    Eagle, Enterprise, Fleet, Golden, Green, Holiday, Hurricane, Man, March, Marina, Midland, Midway, Mission,
    Mobile, Most, Much, Normal, Of, Officer, Opportunity, Orange, Reading, Republic, Rouge, Saga, Same,
    Sandwich, Save, Spring, Sunrise, Sunset, Superior, Surprise, Thomson, Time, University, Vineyard, Wedding,
    Young,
    Bush, Elizabeth, Gary, George, Jackson, Kennedy, La Guardia, Laurel, Logan, Lynn, Martin, Mitchell, Parker,
    Taylor, Vincent, Wayne,
    Arizona, Armenia, Asia, Bandar, Belize, Carolina, Colombia, Colorado, Costa Rica, Dar, El Salvador, Florida,
    Ho, Isle of Man, Jamaica, Jordan, Mexico, Montana, New Brunswick, Ontario, Oregon, Puerto Rico, San, Sana,
    Santa Maria, St Martin, St Thomas, Trinidad, Virginia
    """.split(",")  # noqa: SIM905 - a literal of quoted names would fill a hundred lines
)
ADDED = ("New York", "Las Palmas")  # the list has New York City, and Las Palmas with its island
NOT_FIRST = frozenset({"Nice", "Split", "Male", "Bath"})  # at the beginning of a text an ordinary word
WORD = re.compile(r"[^\W_]+")


class CityNames:
    """Finds names of one or more words, the longest first.

    Case counts unless `any_case`; accents may be left out. What the stop list names is passed over, in any case.
    """

    def __init__(self, names: Iterable[str], *, any_case: bool = False, stopped: Sequence[str] = STOP_LIST) -> None:
        self._spelt: Callable[[str], str] = str.lower if any_case else str
        self._names: dict[tuple[str, ...], str | None] = {}
        for name in names:
            for spelling in (name, _without_accents(name)):
                self._names.setdefault(self._key(spelling), spelling)
        self._names |= {self._key(name): None for name in stopped}
        self._names.pop((), None)
        self._longest: dict[str, int] = {}
        for words in self._names:
            self._longest[words[0]] = max(len(words), self._longest.get(words[0], 0))

    def found(self, text: str) -> tuple[str, ...]:
        """The names in a text, each once, in the order of their first appearance."""
        return tuple(dict.fromkeys(self._matches(self._key(text))))

    def _key(self, text: str) -> tuple[str, ...]:
        return tuple(WORD.findall(self._spelt(text)))

    def _matches(self, words: tuple[str, ...]) -> Iterator[str]:
        place = 0
        while place < len(words):
            width, name = self._longest_at(words, place)
            if name is not None and (place or name not in NOT_FIRST):
                yield name
            place += width

    def _longest_at(self, words: tuple[str, ...], place: int) -> tuple[int, str | None]:
        for width in range(self._longest.get(words[place], 0), 0, -1):
            stretch = words[place : place + width]
            if stretch in self._names:
                return len(stretch), self._names[stretch]
        return 1, None


def read_city_names(path: Path, country: str | None = None) -> tuple[str, ...]:
    """The names of all cities, or of those of a country, each once."""
    problems = Problems()
    rows = list(read_named(path, ("name", "country"), problems))
    problems.finish()
    return tuple(dict.fromkeys((*ADDED, *(name for name, where in rows if country in (None, where)))))


def _without_accents(name: str) -> str:
    return "".join(mark for mark in unicodedata.normalize("NFKD", name) if not unicodedata.combining(mark))
