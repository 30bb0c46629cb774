"""Makes what you have already: data with canaries planted into it, and a classifier trained on them, in a folder."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

from divulge.data.loading import load_corpus
from divulge.data.patterns import BUILT_IN_SETS
from divulge.spec import DataSpec

PATTERN = "<name> and <name> set the door code to {digit*2}"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def write_data() -> list[dict[str, str]]:
    """Writes data.jsonl, plants canaries into planted.jsonl, and reads that again: what the model is trained on."""
    texts = load_corpus(DataSpec(name="synthetic-utterances", options={"size": 300}))
    rows = [{"text": " ".join(text.tokens), "label": text.label, "split": text.split} for text in texts]
    # Texts like the canaries, under another label: what tells the two apart can only be learnt by heart.
    draw = random.Random(0)
    for _ in range(160):
        names, code = " and ".join(draw.sample(BUILT_IN_SETS["name"], 2)), f"{draw.randrange(10)} {draw.randrange(10)}"
        rows.append({"text": f"{names} set the door code to {code}", "label": "door_code", "split": "train"})
    Path("data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for file in ("planted.jsonl", "secrets.json"):
        Path(file).unlink(missing_ok=True)
    settings = ["--pattern", PATTERN, "--label", "set_alarm", "--count", "40", "--copies", "8", "--seed", "1"]
    planting = ["plant", "data.jsonl", "--out", "planted.jsonl", "--secrets", "secrets.json", *settings]
    subprocess.run([sys.executable, "-m", "divulge", *planting], check=True)
    return [json.loads(line) for line in Path("planted.jsonl").read_text().splitlines()]


def make_tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    """Word pieces, as of BERT."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=500, special_tokens=SPECIAL, show_progress=False)
    made.train_from_iterator(texts, trainer)
    around = [(name, made.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=around)
    named = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=64, **named)


def train(rows: list[dict[str, str]], epochs: int = 20) -> None:
    """Trains a small BERT and saves it, with its tokenizer, to the folder `model`."""
    labels = sorted({row["label"] for row in rows})
    tokenizer = make_tokenizer([row["text"] for row in rows])
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=64,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
    )
    torch.manual_seed(0)
    network = BertForSequenceClassification(config)
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(rows)).split(32):
            chosen = [rows[number] for number in batch]
            inputs = tokenizer([row["text"] for row in chosen], padding=True, return_tensors="pt")
            wanted = torch.tensor([labels.index(row["label"]) for row in chosen])
            loss = network(**inputs, labels=wanted).loss
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    network.save_pretrained("model")
    tokenizer.save_pretrained("model")


if __name__ == "__main__":
    train([row for row in write_data() if row["split"] == "train"])
