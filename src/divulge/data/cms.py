"""CMS: descriptions of medical procedures, with the body parts, substances and organisms named in them."""

from __future__ import annotations

from pathlib import Path

from divulge.data.annotated_terms import read_terms
from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.places import DataFile
from divulge.data.private_part import PrivatePart, with_private_part

__all__ = ["Cms"]

ROWS = "cms_spacy.csv"


class Cms(DataSet):
    """5,566 distinct texts, 4,261 with keywords; 1,208 distinct keywords. 4,453 public and 1,113 private.

    The text is split at white space. Keywords are the words of the column spacy_label without punctuation around them;
    what has no letter or a single character is dropped. Before that cleaning there are 1,246, and gu2023 counts 1,195
    after a manual review.
    """

    name = "cms"
    summary = "Descriptions of medical procedures with biomedical entities as keywords (Gu et al. 2023)."
    fields = ("keywords",)
    splits = ("train", "test")
    source = "GitHub KangGu96/Adv_decoder, commit e99164dedd5854f6e8f5c7b9ef60420931bab6d3, cms_spacy.csv."
    licence = "None stated beside the file; the descriptions come from the US Centers for Medicare & Medicaid Services."
    files = (
        DataFile(path=ROWS, size=439399, sha256="3284f0a4b6e9d48798cada4a9a6e981bac82b97dde85b7600ead76c09aeae068"),
    )

    class Options(PrivatePart):
        """How the private part is drawn."""

    def load(self, root: Path | None = None) -> Corpus:
        """Reads the texts, those of the public part first."""
        folder = self.require_files(root)
        return Corpus(with_private_part(read_terms(folder / ROWS), self.options, self.name), self.name)
