"""Answers that own code gave, kept beside the store: a run that was broken off asks only what is missing.

One SQLite file for each recipe and state of the code, readable by its owner alone. A question is kept as a hash, never
as text. Several processes may read and write at once. `divulge cache clear` removes them with all else.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing

from divulge.errors import ExecutionError
from divulge.store import ANSWERS, default_root

__all__ = ["KeptAnswers"]

OWNER_ONLY = 0o600
WAIT_SECONDS = 60.0  # for another process that writes
AT_ONCE = 500  # questions looked up in one statement


class KeptAnswers:
    """Answers as bytes, by question.

    Args:
        key: 64 hex digits that stand for everything that an answer depends on but the question; None: nothing is
            written, and answers are kept as long as this object is.
    """

    def __init__(self, key: str | None) -> None:
        self._key, self._held = key or "", dict[str, bytes]()
        self._path = None if key is None else default_root().expanduser().absolute() / ANSWERS / f"{key}.sqlite"

    def get(self, questions: Sequence[str]) -> dict[str, bytes]:
        """The answers that are there, by question."""
        named = {self._hash(question): question for question in questions}
        if self._path is None:
            return {named[one]: self._held[one] for one in named if one in self._held}
        found = self._read(list(named)) if self._path.exists() else {}
        return {named[one]: answer for one, answer in found.items()}

    def put(self, answers: Mapping[str, bytes]) -> None:
        """Keeps answers by question; the first answer that was given to a question stays."""
        rows = {self._hash(question): answer for question, answer in answers.items()}
        if self._path is None:
            self._held = {**rows, **self._held}
        if self._path is None or not rows:
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, OWNER_ONLY))
            with closing(self._opened()) as file, file:
                file.execute("CREATE TABLE IF NOT EXISTS answers (question TEXT PRIMARY KEY, answer BLOB NOT NULL)")
                file.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?)", sorted(rows.items()))
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    def _read(self, hashes: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        try:
            with closing(self._opened()) as file:
                if not file.execute("SELECT 1 FROM sqlite_master WHERE name = 'answers'").fetchone():
                    return {}
                for start in range(0, len(hashes), AT_ONCE):
                    some = hashes[start : start + AT_ONCE]
                    marks = ",".join("?" * len(some))
                    query = f"SELECT question, answer FROM answers WHERE question IN ({marks})"  # noqa: S608 - only marks
                    found.update(file.execute(query, some).fetchall())
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        return found

    def _opened(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path or ":memory:", timeout=WAIT_SECONDS)

    def _hash(self, question: str) -> str:
        return hashlib.sha256(f"{self._key}\0{question}".encode()).hexdigest()

    def _unusable(self, error: Exception) -> ExecutionError:
        return ExecutionError(
            f"the kept answers {self._path} cannot be used: {error}. "
            "Forget them: divulge cache clear --kind answers; or set recipe.keep_answers = false"
        )
