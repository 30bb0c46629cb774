"""Ubuntu dialogs: exchanges of a support channel, dealt out to artificial users."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.exchanges import answered
from divulge.data.files.lines import read_lines
from divulge.data.files.problems import Problems
from divulge.data.places import DataFile
from divulge.data.user_sizes import Some, artificial_users
from divulge.records import Record

__all__ = ["UbuntuDialogs"]

MESSAGES = "ubuntu-irc-messages.tsv.gz"
HEADER = ["split", "file", "line", "time", "nick", "dialog", "text"]
BOTS = frozenset({"ubotu", "ubottu"})


class UbuntuDialogs(DataSet):
    """Exchanges of the channel #ubuntu, as text of an adversary who knows no users: song2019, cross domain.

    An exchange is a message and the one before it in the same conversation, by somebody else. Which conversation a
    message is in was told by people, for a third of the messages; the others are not read, nor those of the bots. Few
    nicks have 40 exchanges, so users are artificial, as in the paper: each exchange is dealt to one of them at random.
    """

    name = "ubuntu-dialogs"
    summary = "Exchanges of the channel #ubuntu, dealt out to artificial users (Kummerfeld et al. 2019)."
    fields = ("user", "context")
    splits = ("train",)
    source = (
        "GitHub jkkummerfeld/irc-disentanglement, commit 82ed04f9627a45d0d6f2ec3c8683c88eb408a0d5, folder data: "
        "messages with their annotated conversations, as one table."
    )
    licence = "CC BY 4.0, as stated upstream."
    files = (
        DataFile(
            path=MESSAGES, size=6770562, sha256="a73b5b2e04ca62ef41da42eba98d91ab0df17b775697241f3c4c82b5d3cd3034"
        ),
    )

    class Options(Record):
        """How many artificial users (None: as many as there can be), with `exchanges` each, cut to `longest` words."""

        users: Some | None = None
        exchanges: Some = 40
        longest: Some = 30
        seed: int = 0

    def load(self, root: Path | None = None) -> Corpus:
        """Reads the exchanges and deals them out."""
        path = self.require_files(root) / MESSAGES
        problems = Problems()
        options = self.options
        texts = [text for exchange in _exchanges(path, problems) for text in answered(*exchange, options.longest)]
        problems.finish()
        return Corpus(
            artificial_users(self.name, texts, options.users, options.exchanges, seed=options.seed), self.name
        )


def _exchanges(path: Path, problems: Problems) -> Iterator[tuple[str, str]]:
    last: dict[str, tuple[str, str]] = {}
    for number, line in read_lines(path, problems):
        fields = line.split("\t")
        if len(fields) != len(HEADER) or (number == 1 and fields != HEADER):
            problems.add(path, number, f"is not a row of the columns {', '.join(HEADER)}, with tabs between them")
            continue
        *_, nick, dialog, text = fields
        if number == 1 or not dialog or nick in BOTS:
            continue
        if dialog in last and last[dialog][0] != nick:
            yield last[dialog][1], text
        last[dialog] = nick, text
