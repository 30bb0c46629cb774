"""Tiny encoders with random weights, saved as transformers saves real ones, and a slow way to ask them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel, BertTokenizer

WIDTH = 16
POSITIONS = 24
VOCABULARY = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "on", "mat", "a", "dog", "barked", "at"),
    *("night", "train", "##er", "##s", "##ing", "glass", "##dale", "##ford", "amber"),
)


def save_tiny_bert(folder: Path, seed: int = 0, positions: int = POSITIONS) -> Path:
    """Saves a BERT of two layers; weights are large, so that context matters."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY), encoding="utf-8")
    BertTokenizer(str(folder / "vocab.txt"), model_max_length=positions).save_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = BertModel(tiny_config(positions))
    network.save_pretrained(folder)
    return folder


def tiny_config(positions: int = POSITIONS) -> BertConfig:
    """Two layers, two heads, 16 dimensions."""
    return BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=WIDTH,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=positions,
        initializer_range=0.5,
    )


def hidden_states(folder: Path, pieces: Sequence[str]) -> np.ndarray:
    """What the model makes of one text given in word pieces, special tokens included; (pieces, d)."""
    network = AutoModel.from_pretrained(folder).eval()
    numbers = AutoTokenizer.from_pretrained(folder).convert_tokens_to_ids(list(pieces))
    with torch.no_grad():
        return network(torch.tensor([numbers])).last_hidden_state[0].numpy()
