"""SATED and WIT3: sentences of TED talks with their French translations, dealt out to artificial users."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.files.lines import read_lines
from divulge.data.files.problems import Problems
from divulge.data.places import DataFile
from divulge.data.translations import read_side_by_side, translated
from divulge.data.user_sizes import Some, artificial_users
from divulge.records import Record

__all__ = ["SatedEnFr", "untokenised"]

SPLITS = ("dev", "test")
TALKS = tuple(
    (f"wit3-iwslt17/IWSLT17.TED.{year}.en-fr.en.xml", f"wit3-iwslt17/IWSLT17.TED.{year}.fr-en.fr.xml")
    for year in ("tst2016", "tst2017")
)
TALK = re.compile(r'<doc docid="([^"]+)"')
SEGMENT = re.compile(r'<seg id="([^"]+)">(.*)</seg>')
CONTRACTED = re.compile(r" (?='(?:s|re|ve|ll|d|m|t|em)\b)|(?<=\w') (?=\w)")  # let 's, l' option


class SatedEnFr(DataSet):
    """English sentences (context) and French ones (tokens) of talks, as text of an adversary who knows no users.

    Of SATED only the development and test files can be had, two pairs each of 1,887 talks; so users are artificial:
    each pair is dealt to one of them at random. 25 whole talks of WIT3 are added, paired by talk and segment. SATED's
    spelling (let &apos;s) is undone, so that words are those of the other sets. Pairs with a longer side than `longest`
    are dropped.
    """

    name = "sated-en-fr"
    summary = "Sentences of TED talks and their French translations, dealt out to artificial users (SATED and WIT3)."
    fields = ("user", "context")
    splits = ("train",)
    source = (
        "SATED (Michel & Neubig 2018): GitHub mihirkhandekar/seq2seq-meminf, commit "
        "f950261cff5d0b82865c8e49437692b7651150c4, sated-release-0.9.0/en-fr, dev and test. WIT3: GitHub hlt-mt/WIT3, "
        "commit e43615b79232e9cc0fccc76d90fd1c658146d29d, archive/2017-01-ted-test/texts: tst2016 and tst2017."
    )
    licence = "SATED CC BY-NC-ND 4.0; WIT3 CC BY-NC-ND 3.0, copyright TED Conference LLC."
    files = (
        DataFile(path="dev.en", size=351281, sha256="3e2b7ac159273fa85f42365379a0f2b82614eb9bd05e77b087d173bcc76d7019"),
        DataFile(path="dev.fr", size=406892, sha256="902e65d1fa61bc18e3b82b1fe80863ed27ce9b5abbaa9eed31ef0eb2c76b3d30"),
        DataFile(
            path="test.en", size=350980, sha256="c84b95a49e66d7a5efa2f305a14b1a2df57af1521eaa2e1579ec593e39c97a69"
        ),
        DataFile(
            path="test.fr", size=405400, sha256="d60bea23eae2071e5c816dbf379e001a2111fc7dfb35851f102d3a5a336a15d5"
        ),
        DataFile(
            path=TALKS[0][0],
            size=152960,
            sha256="2e04434e4893279ae8dbc164b680b716d048a18dfd50aa3e50eff5d9c5aaedb4",
        ),
        DataFile(
            path=TALKS[0][1],
            size=166112,
            sha256="2531aa3a9f1edbe086ee66aa394cfa63370e71005f4459a9aa1a91ed2397416c",
        ),
        DataFile(
            path=TALKS[1][0],
            size=182609,
            sha256="2be03ecc6d5b4e8924b203566bf60e91172ed68ed425942cb8e8c7c4beb48d33",
        ),
        DataFile(
            path=TALKS[1][1],
            size=195619,
            sha256="12317194898512be531a99aab579f3f5920044cc5e88f90422f924519f10bef0",
        ),
    )

    class Options(Record):
        """How many artificial users (None: as many as there can be), with `pairs` each, none longer than `longest`."""

        users: Some | None = None
        pairs: Some = 30
        longest: Some = 50
        seed: int = 0

    def load(self, root: Path | None = None) -> Corpus:
        """Reads the pairs and deals them out."""
        folder = self.require_files(root)
        problems = Problems()
        options = self.options
        texts = [text for pair in _pairs(folder, problems) for text in translated(*pair, options.longest)]
        problems.finish()
        return Corpus(artificial_users(self.name, texts, options.users, options.pairs, seed=options.seed), self.name)


def untokenised(line: str) -> str:
    """A line of SATED with its marks and contractions as one writes them.

    >>> untokenised("let &apos;s see l&apos; option")
    "let's see l'option"
    """
    return CONTRACTED.sub("", html.unescape(line))


def _pairs(folder: Path, problems: Problems) -> Iterator[tuple[str, str]]:
    for split in SPLITS:
        for english, french in read_side_by_side([folder / f"{split}.en", folder / f"{split}.fr"], problems):
            yield untokenised(english), untokenised(french)
    for paths in TALKS:
        ours, theirs = (_segments(folder / path, problems) for path in paths)
        if set(ours) != set(theirs):
            problems.add(folder / paths[1], None, f"has other segments than {paths[0]}")
        yield from ((ours[place], theirs[place]) for place in ours if place in theirs)


def _segments(path: Path, problems: Problems) -> dict[tuple[str, str], str]:
    talk, found = "", {}
    for _, line in read_lines(path, problems):
        begun = TALK.search(line)
        talk = begun[1] if begun else talk
        segment = SEGMENT.search(line)
        if segment:
            found[talk, segment[1]] = html.unescape(segment[2]).strip()
    if not found:
        problems.add(path, None, "has no segments")
    return found
