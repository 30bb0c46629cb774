"""Tiny encoders with random weights, saved as transformers saves real ones, and a slow way to ask them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tokenizers
import torch
import transformers
from safetensors.numpy import save_file
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel, BertTokenizer

WIDTH = 16
POSITIONS = 24
VOCABULARY = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "on", "mat", "a", "dog", "barked", "at"),
    *("night", "train", "##er", "##s", "##ing", "glass", "##dale", "##ford", "amber"),
)
LLAMA_PIECES = ("<unk>", "<s>", "</s>", "▁the", "▁train", "er", "s", "▁sat", "▁", *"abcdefghijklmnopqrtuvwxyz")
STATIC_PIECES = ("[PAD]", "[UNK]", "[CLS]", "the", "cat", "sat")
STATIC_VECTORS = np.random.default_rng(0).normal(size=(len(STATIC_PIECES), 4)).astype(np.float32)


def save_tiny_bert(
    folder: Path, seed: int = 0, positions: int = POSITIONS, vocabulary: Sequence[str] = VOCABULARY
) -> Path:
    """Saves a BERT of two layers; weights are large, so that context matters."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    BertTokenizer(str(folder / "vocab.txt"), model_max_length=positions).save_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = BertModel(tiny_config(positions, len(vocabulary)))
    network.save_pretrained(folder)
    return folder


def save_cutting_bert(folder: Path, words: Sequence[str]) -> Path:
    """One that knows these words in two pieces each: their first letter, and the rest."""
    pieces = {piece for word in words for piece in (word[0], "##" + word[1:]) if piece != "##"}
    return save_tiny_bert(folder, vocabulary=(*VOCABULARY[:5], *sorted(pieces)))


def tiny_config(positions: int = POSITIONS, pieces: int = len(VOCABULARY)) -> BertConfig:
    """Two layers, two heads, 16 dimensions."""
    return BertConfig(
        vocab_size=pieces,
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


def save_tiny_gpt(folder: Path) -> Path:
    """A GPT-2 of one layer whose tokenizer knows bytes and no merges: no special tokens, no padding."""
    letters = sorted(chr(code) for code in range(ord("a"), ord("z") + 1))
    vocabulary = {piece: number for number, piece in enumerate(["<|endoftext|>", "Ġ", *letters])}
    transformers.GPT2Tokenizer(vocab=vocabulary, merges=[]).save_pretrained(folder)
    sizes = {"n_embd": WIDTH, "n_layer": 1, "n_head": 2, "n_positions": POSITIONS, "initializer_range": 0.5}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=len(vocabulary), **sizes))
    network.save_pretrained(folder)
    return folder


def save_tiny_llama(folder: Path) -> Path:
    """A Llama of two layers, saved with its head, whose tokenizer marks the start of words and puts <s> first."""
    folder.mkdir(parents=True, exist_ok=True)
    model = tokenizers.models.Unigram([(piece, -1.0 if len(piece) > 1 else -9.0) for piece in LLAMA_PIECES], unk_id=0)
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    named = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **named).save_pretrained(folder)
    sizes = {"hidden_size": WIDTH, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2}
    more = {"max_position_embeddings": POSITIONS, "initializer_range": 0.5, "vocab_size": len(LLAMA_PIECES)}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, **more))
    network.save_pretrained(folder)
    return folder


def save_tiny_static(folder: Path) -> Path:
    """A sentence-transformers folder of static vectors; the file of its tokenizer would add a special token."""
    inner = folder / "0_StaticEmbedding"
    inner.mkdir(parents=True)
    model = tokenizers.models.WordLevel({piece: n for n, piece in enumerate(STATIC_PIECES)}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]"])
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", 2)]
    )
    tokenizer.save(str(inner / "tokenizer.json"))
    save_file({"embedding.weight": STATIC_VECTORS}, inner / "model.safetensors")
    listed = [{"idx": 0, "name": "0", "path": inner.name, "type": "sentence_transformers.models.StaticEmbedding"}]
    (folder / "modules.json").write_text(json.dumps(listed), encoding="utf-8")
    return folder


KINDS = {"bert": save_tiny_bert, "gpt": save_tiny_gpt, "llama": save_tiny_llama}
