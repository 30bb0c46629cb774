"""MT: sentences of medical transcriptions, with the biomedical entities named in them."""

from __future__ import annotations

from pathlib import Path

from divulge.data.annotated_terms import read_terms
from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.places import DataFile
from divulge.data.private_part import PrivatePart, with_private_part

__all__ = ["MtSamples"]

ROWS = "mt_subset_spacy.csv"  # the whole transcriptions, which hold these sentences, are never opened


class MtSamples(DataSet):
    """2,403 distinct texts, 1,633 with keywords; 867 distinct keywords. 1,922 public and 481 private.

    They are the sentences that the authors of gu2023 published, a fifth of the 12,018 and 2,377 keywords of the paper.
    Tokens and keywords are made as for the set `cms`.
    """

    name = "mtsamples"
    summary = "Sentences of medical transcriptions with biomedical entities as keywords (MT in Gu et al. 2023)."
    fields = ("keywords",)
    splits = ("train", "test")
    source = "GitHub KangGu96/Adv_decoder, commit e99164dedd5854f6e8f5c7b9ef60420931bab6d3, mt_subset_spacy.csv."
    licence = "None stated beside the file; the transcriptions (mtsamples.com) were published as CC0 on Kaggle."
    files = (
        DataFile(path=ROWS, size=232239, sha256="ea7c93e965235ca139b66a2e0955188a5caf6d6ca1a1b1f0d9876e3068ac357f"),
    )

    class Options(PrivatePart):
        """How the private part is drawn."""

    def load(self, root: Path | None = None) -> Corpus:
        """Reads the texts, those of the public part first."""
        folder = self.require_files(root)
        return Corpus(with_private_part(read_terms(folder / ROWS), self.options, self.name), self.name)
