"""Cornell movie dialogs: what characters of films answer each other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.exchanges import answered
from divulge.data.files.lines import read_lines
from divulge.data.files.problems import Problems
from divulge.data.places import DataFile
from divulge.data.raw_words import LOST
from divulge.data.user_sizes import Some, UserSizes, by_user, sized_users, unshared
from divulge.records import Text
from divulge.seeds import generator

__all__ = ["CornellDialogs", "few_of_a_film"]

LINES, CONVERSATIONS = "movie_lines.reconstructed.txt.gz", "movie_conversations.covered.txt.gz"
SEPARATOR = " +++$+++ "
LINE_ID = re.compile(r"'(L\d+)'")
MARKUP = re.compile(r"</?[a-zA-Z]{1,8}>")
# Pairs of films that share a script, or most of one: The Fantastic Four, The Verdict, U Turn, and one mixed up.
SAME_SCRIPT = {"m345": "m58", "m593": "m225", "m589": "m588", "m275": "m36"}

Whatever = TypeVar("Whatever")


class CornellDialogs(DataSet):
    """Exchanges of characters of 605 films, 523 of which have one with 40; who answers is the user, "film-character".

    By default one character of a film is kept: what one says is what another one answers, so that the words of a
    character who was not used would be learnt beside those of one who was, and two of a film speak of the same things.
    With more `per_film`, members and others of an audit share films, and its figures are too low. Four pairs of films
    have a script in common and count as one film.

    This is 77 % of the lines: conversations with characters of unknown gender, minor ones mostly, are missing.
    Exchanges with a line that is empty or has lost a character are dropped, and those that two characters have alike;
    marks of emphasis (<u>) are taken off.
    """

    name = "cornell-dialogs"
    summary = "Exchanges between characters of films (Danescu-Niculescu-Mizil & Lee 2011, 77 % of the lines)."
    fields = ("user", "context")
    splits = ("train",)
    source = (
        "Lines: GitHub jayantj/movie-dialogues, commit 09075236f8d9897d6a94e5f8b3b2cdf347279e3e, data/conv/m*.json "
        "written as in the published file. Conversations: GitHub elmines/Chatbot-from-Movie-Dialogue, commit "
        "0e26ee9f43fac141d23251ae93fceba6b9f0258d, movie_conversations.txt.zip, those whose lines are all there."
    )
    licence = "None stated by its authors or in these repositories."
    files = (
        DataFile(path=LINES, size=6543990, sha256="5370b8036bd02ede829682f8e29201b6f265e6529bcc595f94e29d2ff85b8c2f"),
        DataFile(
            path=CONVERSATIONS,
            size=685223,
            sha256="9236c4141bfaca5f718dd6d60650325f129d7985d7ce86e696260be7ab00108b",
        ),
    )

    class Options(UserSizes):
        """How many characters, at most `per_film` of a film; `exchanges` of each, cut to `longest` words; None: all."""

        exchanges: Some | None = 40
        longest: Some = 30
        per_film: Some | None = 1

    def load(self, root: Path | None = None) -> Corpus:
        """Reads the exchanges, user by user."""
        folder = self.require_files(root)
        problems = Problems()
        said = _lines(folder / LINES, problems)
        found = by_user(_exchanges(folder / CONVERSATIONS, said, problems))
        problems.finish()
        options = self.options
        if options.per_film is not None:
            least = options.least or options.exchanges or 1
            enough = {user: own for user, own in found.items() if len(own) >= least}
            found = few_of_a_film(enough, options.per_film, options.seed)
        texts = {user: self._texts(user, own) for user, own in found.items()}
        return Corpus(unshared(sized_users(self.name, texts, options, options.exchanges)), self.name)

    def _texts(self, user: str, exchanges: list[tuple[str, str]]) -> Iterator[Text]:
        return (text for exchange in exchanges for text in answered(*exchange, self.options.longest, user))


def few_of_a_film(users: Mapping[str, Whatever], most: int, seed: int) -> dict[str, Whatever]:
    """At most so many users of each film, drawn by seed; the film is what stands before the dash."""
    films: defaultdict[str, list[str]] = defaultdict(list)
    for user in sorted(users):
        films[user.partition("-")[0]].append(user)
    return {
        own[place]: users[own[place]]
        for film, own in films.items()
        for place in generator(seed, "films", film).permutation(len(own))[:most]
    }


def _lines(path: Path, problems: Problems) -> dict[str, tuple[str, str]]:
    """The character ("film-character") and text of every line, by its id; none if it is empty or lost a character."""
    found = {}
    for number, line in read_lines(path, problems):
        fields = f"{line} ".split(SEPARATOR, 4)  # before an empty text the last blank may be missing
        if len(fields) != 5:
            problems.add(path, number, f"has {len(fields)} fields with {SEPARATOR.strip()} between them; expected 5")
            continue
        line_id, character, film, _, said = fields
        text = " ".join(MARKUP.sub("", said).lower().split())
        if text and LOST not in text:
            found[line_id] = f"{SAME_SCRIPT.get(film, film)}-{character}", text
    return found


def _exchanges(
    path: Path, said: Mapping[str, tuple[str, str]], problems: Problems
) -> Iterator[tuple[str, tuple[str, str]]]:
    for number, line in read_lines(path, problems):
        ids = LINE_ID.findall(line.rpartition(SEPARATOR)[2])
        if not ids:
            problems.add(path, number, "names no lines")
        for first, second in pairwise(ids):
            if first in said and second in said and said[first][0] != said[second][0]:
                yield said[second][0], (said[first][1], said[second][1])
