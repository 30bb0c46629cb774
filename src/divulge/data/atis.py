"""ATIS: questions about flights with an intent and slot tags, in the split of the slot-gated model."""

from __future__ import annotations

from pathlib import Path

from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.parallel import read_parallel
from divulge.data.places import DataFile

__all__ = ["Atis"]


class Atis(DataSet):
    """4,478 / 500 / 893 questions, 83 slot types, 26 labels.

    Several intents of one question are joined with "#", in the order written, and count as a label of their own. Five
    labels occur in the valid or test split alone.
    """

    name = "atis"
    summary = "Questions about flights with intents and slots (Hemphill et al. 1990, split of Goo et al. 2018)."
    fields = ("label", "tags")
    splits = ("train", "valid", "test")
    source = "GitHub MiuLab/SlotGated-SLU, commit 61f0307c729b1fad479ef1de94aa5ac5dee601b0, folder data/atis."
    licence = (
        "Not stated; the recordings and transcripts are a corpus of the Linguistic Data Consortium with its own terms."
    )
    files = (
        DataFile(
            path="train/seq.in",
            size=289848,
            sha256="3a670980841b21ab39088b2595efc17d487cdc45769c075a3e5f9458bba28c7f",
        ),
        DataFile(
            path="train/seq.out",
            size=415557,
            sha256="14c7131bd66562f797dbd7189bc7358f0cf354c6afb0785a9ab973c35b58f34c",
        ),
        DataFile(
            path="train/label",
            size=57831,
            sha256="d0a771547665eecbdf9f96ea015ef07d1f6ee9f063e861020dafabb3c2a04377",
        ),
        DataFile(
            path="valid/seq.in",
            size=32761,
            sha256="c7435b96e7948393608c34819628e863c5338f11ca68e8f896d2cc041d8e17f8",
        ),
        DataFile(
            path="valid/seq.out",
            size=47763,
            sha256="83ccff3e36f83a993f8e5b5b82adf3256076f234abda4d784051381d7ac76922",
        ),
        DataFile(
            path="valid/label",
            size=6518,
            sha256="06957cfe6fdffac84f8280bc3a1f8ca85c85631b363817aa4543aac611f8addf",
        ),
        DataFile(
            path="test/seq.in",
            size=52122,
            sha256="4b2119fc59c37f9398c6605db435d4f467505009e6ee3e5af04fed09f39dc397",
        ),
        DataFile(
            path="test/seq.out",
            size=81238,
            sha256="a4690d6bceadc06876d1ff99bc401744aa981cb321e598ae12a3859d7be53254",
        ),
        DataFile(
            path="test/label",
            size=11634,
            sha256="ce4bfe6590d9498e1078f30b4137d3e8b3e94277b444b26360c0bf2e9e282761",
        ),
    )

    def load(self, root: Path | None = None) -> Corpus:
        """Reads the three splits, train first."""
        folder = self.require_files(root)
        return Corpus(read_parallel(folder, self.splits), self.name)
