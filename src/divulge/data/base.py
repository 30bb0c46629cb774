"""What a data set is: something with a name that loads as a corpus."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import ClassVar

from divulge.data.corpus import Corpus
from divulge.data.places import DataFile, data_root, place_of
from divulge.errors import InputError
from divulge.parts import Part

__all__ = ["DataSet"]


class DataSet(Part):
    """Texts that can be loaded by name.

    `fields` names what every text of it carries beside its tokens (label, tags, user, context, keywords);
    `splits` the splits it has; `files` what must lie in its folder, nothing for a corpus that is made.
    """

    fields: ClassVar[tuple[str, ...]]
    splits: ClassVar[tuple[str, ...]]
    source: ClassVar[str]
    licence: ClassVar[str]
    files: ClassVar[tuple[DataFile, ...]] = ()

    @abstractmethod
    def load(self, root: Path | None = None) -> Corpus:
        """Reads or makes the corpus; `root` is the folder of all data sets, else `data_root()`."""

    def request_problems(self, root: Path | None = None) -> list[str]:
        """What is wrong with these options, as far as can be told without reading data."""
        del root
        return []

    @classmethod
    def needs_download(cls) -> bool:
        """Whether it is read from files that are not part of Divulge."""
        return bool(cls.files)

    @classmethod
    def folder(cls, root: Path | None = None) -> Path:
        """The folder its files lie in."""
        return (root or data_root()) / cls.name

    @classmethod
    def missing(cls, root: Path | None = None) -> list[str]:
        """The files of it that are not there."""
        folder = cls.folder(root)
        return [file.path for file in cls.files if not place_of(folder, file).is_file()]

    @classmethod
    def require_files(cls, root: Path | None = None) -> Path:
        """Its folder, once every file is found to be there."""
        missing = cls.missing(root)
        if missing:
            raise InputError(cls.absence(missing, root))
        return cls.folder(root)

    @classmethod
    def absence(cls, missing: list[str], root: Path | None = None) -> str:
        """Says which files are missing, where they belong and where they come from."""
        return (
            f"data set {cls.name!r}: {len(missing)} of {len(cls.files)} files are not in {cls.folder(root)}: "
            f"{', '.join(missing)}. Source: {cls.source} Put the files there, or set DIVULGE_DATA to the folder "
            f"that holds {cls.name}/."
        )
