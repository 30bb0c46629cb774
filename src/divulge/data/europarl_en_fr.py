"""Europarl: sentences of members of the European Parliament with their French translations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.files.problems import Problems
from divulge.data.places import DataFile
from divulge.data.translations import read_side_by_side, translated
from divulge.data.user_sizes import Some, UserSizes, by_user, sized_users, unshared
from divulge.records import Text

__all__ = ["EuroparlEnFr"]

SETS = {"other": ("other-original",), "english": ("en-original",), "both": ("other-original", "en-original")}
SIDES = ("en", "fr", "usr")


class EuroparlEnFr(DataSet):
    """English sentences (context) and French ones (tokens) of 840 speakers of other languages, and 464 of English.

    The direction is that of song2019, English to French. Speakers of other languages have 60 pairs each, those of
    English 20 to 300. The sentences were aligned by their order in a paragraph. Pairs with a longer side than `longest`
    are dropped, and what two speakers said alike.
    """

    name = "europarl-en-fr"
    summary = "English sentences and their French translations, by speaker in the European Parliament, 1999 to 2012."
    fields = ("user", "context")
    splits = ("train",)
    source = (
        "GitHub UDS-SFB-B6-Datasets/Multilingual-Parallel-Direct-Europarl, commit "
        "4e284f102c5d37259c55b667cff9e866366eca53, proceedings/xml/{en,fr}: interventions joined by id and speaker, "
        "paragraphs with as many sentences in both languages paired in order; no chair, no speaker without a name; of "
        "each speaker the first 60 pairs (other-original) or 300 (en-original)."
    )
    licence = "None stated beside the files."
    files = (
        DataFile(
            path="other-original.en.gz",
            size=2662255,
            sha256="37d04413f5c824d593f8c69a0fb3297986bdf3a780bc80a91d0bc59036e2499a",
        ),
        DataFile(
            path="other-original.fr.gz",
            size=2936606,
            sha256="c49f152e3422414d6fa893d8fb65c81305eeea337a8589e51996853e0176b45b",
        ),
        DataFile(
            path="other-original.usr.gz",
            size=2277,
            sha256="97d536e5aaf1247cea4a67c9b01166daa4a771b9c2fe84877c2608c4b4242f20",
        ),
        DataFile(
            path="en-original.en.gz",
            size=3521192,
            sha256="ef2ec87203b17a2b5114acc8170a54a47314869541dcc26ece29090129ed9007",
        ),
        DataFile(
            path="en-original.fr.gz",
            size=4042915,
            sha256="358b3de375759f0e58b74d03bc0b9bf22c2347da671c1b0d8e8fa955567bdd2e",
        ),
        DataFile(
            path="en-original.usr.gz",
            size=1825,
            sha256="a14c2c5d383f85f39a6229c46ec65b91b1bc41b722463e23d1f4ff0c942bea8a",
        ),
    )

    class Options(UserSizes):
        """How many speakers, `pairs` of each (None: all), no longer than `longest`, and what they spoke `original`ly.

        `original` is "other" (neither English nor French), "english" or "both".
        """

        pairs: Some | None = 30
        longest: Some = 50
        original: Literal["other", "english", "both"] = "other"

    def load(self, root: Path | None = None) -> Corpus:
        """Reads the pairs, user by user."""
        folder = self.require_files(root)
        problems = Problems()
        said = by_user(
            (user.strip(), (english.lower(), french.lower()))
            for stem in SETS[self.options.original]
            for english, french, user in read_side_by_side([folder / f"{stem}.{side}.gz" for side in SIDES], problems)
        )
        problems.finish()
        texts = {user: self._texts(user, pairs) for user, pairs in said.items()}
        return Corpus(unshared(sized_users(self.name, texts, self.options, self.options.pairs)), self.name)

    def _texts(self, user: str, pairs: list[tuple[str, str]]) -> Iterator[Text]:
        return (text for pair in pairs for text in translated(*pair, self.options.longest, user))
