"""Snips: voice-assistant utterances with an intent and slot tags, in the split of the slot-gated model."""

from __future__ import annotations

from pathlib import Path

from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.parallel import read_parallel
from divulge.data.places import DataFile

__all__ = ["Snips"]


class Snips(DataSet):
    """13,084 / 700 / 700 utterances, 7 intents, 39 slot types."""

    name = "snips"
    summary = "Voice-assistant utterances with intents and slots (Coucke et al. 2018, split of Goo et al. 2018)."
    fields = ("label", "tags")
    splits = ("train", "valid", "test")
    source = "GitHub MiuLab/SlotGated-SLU, commit 61f0307c729b1fad479ef1de94aa5ac5dee601b0, folder data/snips."
    licence = "The original data (sonos/nlu-benchmark) is CC0 1.0; the re-tokenised files state no terms."
    files = (
        DataFile(
            path="train/seq.in",
            size=617079,
            sha256="04ad1e3f2121d83c6478f9a4b17d2dbdc21d06d6127f73cb7af835ed733f9855",
        ),
        DataFile(
            path="train/seq.out",
            size=950926,
            sha256="fd5f2121d8055827e5d6b3d3bac30f3d7e94e82a5d437751960cbdd9e1b4f6d3",
        ),
        DataFile(
            path="train/label",
            size=184532,
            sha256="bfd7df6cf9dd76c5da5d8b61bc85f90386197bdd3d7510c1d324c051537b962f",
        ),
        DataFile(
            path="valid/seq.in",
            size=33629,
            sha256="64e0f6d8ad8aab3a3828164d7d53731a0993d3ca1aed437ceaca6d3d568d410e",
        ),
        DataFile(
            path="valid/seq.out",
            size=50626,
            sha256="712e6d34feb8d52d208b820a5f8bae6e6ff990f08374507dfde22de389088319",
        ),
        DataFile(
            path="valid/label",
            size=9900,
            sha256="9c1dd041216f647bcfca838aaf1a48eb5781e4404256d31ff07cd38a5436c52f",
        ),
        DataFile(
            path="test/seq.in",
            size=33121,
            sha256="c1e341173fcea2951a8ca371956a6f81c76de87b9583c62eb87edd6158fa3a7c",
        ),
        DataFile(
            path="test/seq.out",
            size=50918,
            sha256="58c07c9097d5e1f78889765c2a535a160f6455b90b3142055c8051847afcca47",
        ),
        DataFile(
            path="test/label",
            size=10120,
            sha256="37a26da3ad079bb41c42c85a3a8f827eb47efec4c5917ce5d08f4b2736e4f830",
        ),
    )

    def load(self, root: Path | None = None) -> Corpus:
        """Reads the three splits, train first."""
        folder = self.require_files(root)
        return Corpus(read_parallel(folder, self.splits), self.name)
