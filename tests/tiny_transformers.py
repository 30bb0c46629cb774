"""Tiny transformers models with random weights, saved as transformers saves real ones, tokenizers and all."""

from __future__ import annotations

import string
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    BertForTokenClassification,
    BertModel,
    GPT2Config,
    GPT2ForSequenceClassification,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

WIDTH = 32
POSITIONS = 64
LETTERS = string.ascii_lowercase + string.digits + string.punctuation
TEXTS = (
    "call alice at noon and book a table for two",
    "what will the weather be in amberford tomorrow",
    "play the next song by the glass harbour band",
    "my pin is seven seven one and my code is blue",
)


def word_pieces(words: Sequence[str] = ()) -> PreTrainedTokenizerFast:
    """As of BERT: some words whole, and those given; all others letter by letter."""
    whole = ("call", "book", "table", "play", "song", "weather", "the", "a", "my", "is", "pin", "for", "in", "at")
    special = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    pieces = (*special, *whole, *words, *LETTERS, *(f"##{letter}" for letter in LETTERS), "##ing", "##er")
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]
    )
    named = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=POSITIONS, **named)


def bytes_of_words(texts: Sequence[str] = TEXTS, end: str | None = "<|endoftext|>") -> PreTrainedTokenizerFast:
    """As of GPT-2: pieces of bytes, a space belongs to the word behind it; no special token is put in."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    special = [] if end is None else [end]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        texts,
        trainers.BpeTrainer(vocab_size=340, special_tokens=special, initial_alphabet=alphabet, show_progress=False),
    )
    named = {} if end is None else {"bos_token": end, "eos_token": end}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=POSITIONS, **named)


def marked_words(texts: Sequence[str] = TEXTS) -> PreTrainedTokenizerFast:
    """As of Llama: a mark before each word, and a token that begins a text."""
    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    made.decoder = decoders.Metaspace(prepend_scheme="always")
    special = ["<unk>", "<s>", "</s>"]
    alphabet = ["▁", *LETTERS]
    made.train_from_iterator(
        texts,
        trainers.BpeTrainer(vocab_size=160, special_tokens=special, initial_alphabet=alphabet, show_progress=False),
    )
    made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    named = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=POSITIONS, **named)


def save_bert(
    folder: Path, head: str, names: Sequence[str] = (), seed: int = 0, words: Sequence[str] = (), **settings: Any
) -> Path:
    """Saves a BERT of two layers: head = "none", "masked", "texts" or "words", its outputs named."""
    kinds = {
        "none": BertModel,
        "masked": BertForMaskedLM,
        "texts": BertForSequenceClassification,
        "words": BertForTokenClassification,
    }
    tokenizer = word_pieces(words)
    usual = {
        "hidden_size": WIDTH,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 2 * WIDTH,
        "max_position_embeddings": POSITIONS,
        "initializer_range": 0.1,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
    }
    config = BertConfig(vocab_size=len(tokenizer), **{**usual, **(_named(names) if names else {}), **settings})
    return _saved(kinds[head], config, tokenizer, folder, seed)


def save_gpt2(
    folder: Path, tokenizer: PreTrainedTokenizerFast | None = None, names: Sequence[str] = (), seed: int = 0
) -> Path:
    """Saves a GPT-2 of two layers, a language model, or with names a classifier of texts."""
    tokenizer = tokenizer or bytes_of_words()
    config = GPT2Config(
        vocab_size=len(tokenizer),
        n_embd=WIDTH,
        n_layer=2,
        n_head=2,
        n_positions=POSITIONS,
        initializer_range=0.2,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        **(_named(names) if names else {}),
    )
    return _saved(GPT2ForSequenceClassification if names else GPT2LMHeadModel, config, tokenizer, folder, seed)


def save_llama(folder: Path, seed: int = 0) -> Path:
    """Saves a Llama of two layers."""
    tokenizer = marked_words()
    config = LlamaConfig(
        vocab_size=len(tokenizer) + 3,  # as many have: numbers that no piece has
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=POSITIONS,
        initializer_range=0.2,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=None,
    )
    return _saved(LlamaForCausalLM, config, tokenizer, folder, seed)


def _named(names: Sequence[str]) -> dict[str, Any]:
    return {"id2label": dict(enumerate(names)), "label2id": {name: number for number, name in enumerate(names)}}


def _saved(kind: Any, config: Any, tokenizer: PreTrainedTokenizerFast, folder: Path, seed: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = kind(config)
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
