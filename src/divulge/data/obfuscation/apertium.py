"""There and back by Apertium, a free translator of rules and dictionaries: English into a language, and into English.

It is far from what neural translators do: it keeps the order of words more often, and words that it does not know as
they are. The program is none of ours and not in Python; where it is installed, it is called once for each direction,
whatever the number of texts. A round trip of 200,000 words costs some 50 seconds of a processor, so that it is kept
beside the store, for whoever asks for exactly the same texts again.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from divulge.canonical import digest
from divulge.data.corpus import Corpus
from divulge.data.raw_words import words_in
from divulge.errors import ExecutionError, InputError
from divulge.targets.own.answers_kept import KeptAnswers

__all__ = ["Apertium"]

logger = logging.getLogger(__name__)

PROGRAM = "apertium"
# Pairs of Debian that go both ways, and what languages are called in the names of directions.
PACKAGES = {"ca": "apertium-eng-cat", "eo": "apertium-eo-en", "es": "apertium-eng-spa", "gl": "apertium-en-gl"}
ALSO_CALLED = {"ca": "cat", "en": "eng", "eo": "epo", "es": "spa", "gl": "glg"}
BETWEEN = "\n\n"  # the program sees the end of a sentence there, and leaves it where it is
MARK = re.compile(r"[*@#]+(?=[^\W\d_])")  # stands before what is not in a dictionary; words are joined with blanks
FILE = re.compile(r"/[^\s'\"|]+")
MANY = 1_000  # texts that are worth a word, since nothing is heard for a minute or two
REVISION = 1  # another one translates all texts again


@dataclass(frozen=True)
class Apertium:
    """Translates texts from English into a language and back."""

    language: str

    def version(self) -> str:
        """The hash of the program's version and of all rules and dictionaries of both directions."""
        directions = self._directions()
        return _version(shutil.which(PROGRAM) or PROGRAM, directions)

    def rewrite(self, texts: Sequence[tuple[str, ...]], corpus: Corpus, seed: int) -> list[tuple[str, ...]]:
        """The round trip of each text, in the words of our own data sets; one that comes back empty stays as it was.

        What a text becomes may depend on the texts before it, in about one of a hundred: the translator is no function
        of a sentence alone. The same texts in the same order become the same.
        """
        del corpus, seed  # a translator draws nothing
        back = self._round_trip([_line(text) for text in texts])
        return [words_in(MARK.sub("", line)) or tuple(old) for line, old in zip(back, texts, strict=True)]

    def _round_trip(self, lines: list[str]) -> list[str]:
        there, back = self._directions()
        if not lines:
            return []
        kept = KeptAnswers(digest(["obfuscation", REVISION, self.language, self.version()]))
        question = BETWEEN.join(lines)
        known = kept.get([question]).get(question)
        if known is None and len(lines) >= MANY:
            logger.warning("%s: translating %d texts once, which may take a minute or two", PROGRAM, len(lines))
        if known is None:
            known = BETWEEN.join(_translated(back, _translated(there, lines))).encode()
            kept.put({question: known})
        return known.decode().split(BETWEEN)

    def _directions(self) -> tuple[str, str]:
        package = PACKAGES.get(self.language, f"and a pair of English and {self.language!r} that goes both ways")
        remedy = f"On Debian: apt-get install {PROGRAM} {package}; or set secrets.obfuscation to 'words'"
        if shutil.which(PROGRAM) is None:
            raise InputError(f"secrets.obfuscation: the program {PROGRAM} is not installed. {remedy}")
        known = set(_run("-l").split())
        for english in _names("en"):
            for other in _names(self.language):
                if {f"{english}-{other}", f"{other}-{english}"} <= known:
                    return f"{english}-{other}", f"{other}-{english}"
        raise InputError(
            f"secrets.obfuscation: {PROGRAM} does not translate from English into {self.language!r} and back here. "
            f"{remedy}"
        )


def _names(language: str) -> list[str]:
    return [language, *(name for code, name in ALSO_CALLED.items() if code == language)]


def _line(text: tuple[str, ...]) -> str:
    """One line without control characters; that "i" is somebody is not known to the translator."""
    words = ["I" + word[1:] if word == "i" or word.startswith("i'") else word for word in text]
    return " ".join("".join(mark if mark.isprintable() else " " for mark in " ".join(words)).split())


def _translated(direction: str, lines: list[str]) -> list[str]:
    """All lines in another language; what is empty, or was lost on the way here, is not sent."""
    sent = [line for line in lines if line]
    if not sent:
        return lines
    found = _run("-u", direction, given=BETWEEN.join(sent) + "\n").removesuffix("\n").split(BETWEEN)
    if len(found) != len(sent):
        raise ExecutionError(
            f"{PROGRAM} {direction} gave back {len(found)} texts of {len(sent)}: they cannot be told apart. Set "
            "secrets.obfuscation to another language or to 'words'"
        )
    back = iter(found)
    return [" ".join(next(back).split()) if line else "" for line in lines]


def _run(*arguments: str, given: str = "") -> str:
    """What the program says; it is told no language of this machine."""
    try:
        done = subprocess.run(  # noqa: S603 - the program that is installed, and arguments of ours
            [shutil.which(PROGRAM) or PROGRAM, *arguments],
            input=given.encode(),
            capture_output=True,
            check=False,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
    except OSError as error:
        raise ExecutionError(f"{PROGRAM} cannot be run: {error.strerror}") from error
    if done.returncode:
        # What it complains about may hold texts.
        raise ExecutionError(f"{PROGRAM} {' '.join(arguments)} failed with exit code {done.returncode}")
    return done.stdout.decode(errors="replace")


@lru_cache(maxsize=8)
def _version(program: str, directions: tuple[str, str]) -> str:
    sha = hashlib.sha256(_run("-V").encode())
    folder = Path(program).resolve().parents[1] / "share" / PROGRAM / "modes"
    for mode in (folder / f"{direction}.mode" for direction in directions):
        steps = mode.read_bytes() if mode.is_file() else b""
        sha.update(steps)
        for name in FILE.findall(steps.decode(errors="replace")):
            if Path(name).is_file():
                sha.update(Path(name).read_bytes())
    return sha.hexdigest()
