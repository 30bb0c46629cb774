"""Makes what you have already: a sentence-transformers folder, `model`, and the private texts it embeds, data.jsonl."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

from divulge.data.loading import load_corpus
from divulge.spec import DataSpec

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def make_tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    """Word pieces, as of BERT."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=800, special_tokens=SPECIAL, show_progress=False)
    made.train_from_iterator(texts, trainer)
    around = [(name, made.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=around)
    named = {f"{name[1:-1].lower()}_token": name for name in SPECIAL}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=64, **named)


def save_encoder(texts: list[str], epochs: int = 3) -> None:
    """Trains a small BERT to fill in words, and saves its body, with its tokenizer, to the folder `model`."""
    tokenizer = make_tokenizer(texts)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=64,
    )
    torch.manual_seed(0)
    network = BertForMaskedLM(config)
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(texts)).split(32):
            inputs = tokenizer([texts[number] for number in batch], padding=True, return_tensors="pt")
            hidden = (torch.rand(inputs["input_ids"].shape) < 0.2) & (inputs["attention_mask"] == 1)
            wanted = inputs["input_ids"].masked_fill(~hidden, -100)
            inputs["input_ids"] = inputs["input_ids"].masked_fill(hidden, tokenizer.mask_token_id)
            loss = network(**inputs, labels=wanted).loss
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    network.bert.save_pretrained("model")
    tokenizer.save_pretrained("model")


def save_modules() -> None:
    """What makes it a sentence-transformers folder: the mean over all pieces, at unit length."""
    folder = Path("model")
    kinds = ("Transformer", "Pooling", "Normalize")
    modules = [
        {"idx": n, "name": str(n), "path": f"{n}_{kind}" if n else "", "type": f"sentence_transformers.models.{kind}"}
        for n, kind in enumerate(kinds)
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    for place in ("1_Pooling", "2_Normalize"):
        (folder / place).mkdir(exist_ok=True)
    pooling = {"word_embedding_dimension": 64, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 64, "do_lower_case": False}))


if __name__ == "__main__":
    private, public = (
        load_corpus(DataSpec(name="synthetic-sentences", options={"size": 400, "seed": n})) for n in (0, 1)
    )
    for name, corpus in (("data", private), ("public", public)):
        rows = [{"text": " ".join(text.tokens)} for text in corpus]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    save_encoder([" ".join(text.tokens) for text in public])
    save_modules()
