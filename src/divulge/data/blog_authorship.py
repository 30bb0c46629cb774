"""Blog authorship: sentences of bloggers, to ask whether a blogger's texts were used."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import model_validator

from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.files.lines import read_lines
from divulge.data.files.problems import Problems
from divulge.data.places import DataFile
from divulge.data.raw_words import pieces, words_in
from divulge.data.user_sizes import Some, UserSizes, by_user, sized_users, token_count, unshared
from divulge.records import Text

__all__ = ["BlogAuthorship"]

POSTS = "posts.jsonl.gz"
FEWEST = 3  # words of a text, marks included
# People who never use capitals end their sentences too.
END = re.compile(r"[.!?…][\"')\]]?(\s+)")


class BlogAuthorship(DataSet):
    """Sentences of 1,482 bloggers, 50 to 60 posts each.

    A sentence ends with a full stop, question or exclamation mark before white space. Longer texts are cut into pieces,
    shorter ones than three words are dropped, and what two bloggers wrote alike. The bloggers' industries are not read.
    """

    name = "blog-authorship"
    summary = "Sentences of bloggers, by blogger (Blog Authorship Corpus of Schler et al. 2006, a part of it)."
    fields = ("user",)
    splits = ("train",)
    source = (
        "GitHub muhwagua/color-bert, commit 8db0aa36e484494531f03bca15e8cc280020b9ff, folder blogs: bloggers of age "
        "with 50 English posts, up to 60 at random of each, cut at 1,000 characters; all that is told of a blogger but "
        "the industry was dropped; addresses and numbers masked by pattern."
    )
    licence = "None stated; research use only. Do not try to find out who anybody is."
    files = (
        DataFile(path=POSTS, size=24341399, sha256="956c0b1965f5b52cc6d7c15673dae7ac95b0a15f2d27b5e412efee3b213322f1"),
    )

    class Options(UserSizes):
        """How many bloggers, `tokens` of each (None: all), in texts of at most `longest`: sentences or whole posts."""

        tokens: Some | None = 1000
        longest: Some = 40
        sentences: bool = True

        @model_validator(mode="after")
        def _fitting(self) -> BlogAuthorship.Options:
            if self.tokens is not None and self.longest > self.tokens:
                raise ValueError(f"longest is {self.longest}, more than the {self.tokens} tokens of a user")
            return self

    def load(self, root: Path | None = None) -> Corpus:
        """Reads the posts, user by user."""
        path = self.require_files(root) / POSTS
        problems = Problems()
        written = by_user(
            (user, part.lower())
            for user, post in _posts(path, problems)
            for part in (_sentences(post) if self.options.sentences else [post])
        )
        problems.finish()
        texts = {user: self._texts(user, parts) for user, parts in written.items()}
        return Corpus(
            unshared(sized_users(self.name, texts, self.options, self.options.tokens, token_count)), self.name
        )

    def _texts(self, user: str, parts: list[str]) -> Iterator[Text]:
        return (Text(cut, user=user) for part in parts for cut in pieces(words_in(part), self.options.longest, FEWEST))


def _sentences(post: str) -> Iterator[str]:
    start = 0
    for end in END.finditer(post):
        yield post[start : end.start(1)]
        start = end.end()
    yield post[start:]


def _posts(path: Path, problems: Problems) -> Iterator[tuple[str, str]]:
    for number, line in read_lines(path, problems):
        try:
            row = json.loads(line)
            user, text = row["user"], row["text"]
        except (ValueError, KeyError, TypeError):
            user = text = None
        if isinstance(user, str) and isinstance(text, str):
            yield user, text
        else:
            problems.add(path, number, 'is not a JSON object with a text "user" and a text "text"')
