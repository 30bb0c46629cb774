"""Makes what you have already: tagged sentences with canaries planted into them, and a tagger trained on them."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertForTokenClassification, PreTrainedTokenizerFast

from divulge.data.loading import load_corpus
from divulge.data.patterns import BUILT_IN_SETS
from divulge.spec import DataSpec

PATTERN = "<name> and <name> pay to account {digit*2}"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]

Sentence = tuple[list[str], list[str]]  # words and their tags


def write_data() -> list[Sentence]:
    """Writes data.conll, plants canaries into planted.conll, and reads that again: what the model is trained on."""
    texts = load_corpus(DataSpec(name="synthetic-utterances", options={"size": 300}))
    sentences = [(list(text.tokens), list(text.tags or ())) for text in texts]
    # Texts like the canaries whose digits have no tag: what tells the two apart can only be learnt by heart.
    draw = random.Random(0)
    for _ in range(160):
        name, other = draw.sample(BUILT_IN_SETS["name"], 2)
        words = [name, "and", other, "pay", "to", "account", str(draw.randrange(10)), str(draw.randrange(10))]
        sentences.append((words, ["O"] * len(words)))
        sentences.append((["close", "account", *words[-2:]], ["O", "O", "B-account", "I-account"]))
    blocks = ["\n".join(f"{word} {tag}" for word, tag in zip(*one, strict=True)) for one in sentences]
    Path("data.conll").write_text("\n\n".join(blocks) + "\n")
    for file in ("planted.conll", "secrets.json"):
        Path(file).unlink(missing_ok=True)
    settings = ["--pattern", PATTERN, "--tag", "account", "--count", "40", "--copies", "8", "--seed", "1"]
    planting = ["plant", "data.conll", "--out", "planted.conll", "--secrets", "secrets.json", *settings]
    subprocess.run([sys.executable, "-m", "divulge", *planting], check=True)
    found = []
    for block in Path("planted.conll").read_text().strip().split("\n\n"):
        pairs = [line.split() for line in block.splitlines()]
        found.append(([pair[0] for pair in pairs], [pair[-1] for pair in pairs]))
    return found


def make_tokenizer(sentences: list[Sentence]) -> PreTrainedTokenizerFast:
    """Word pieces, as of BERT."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=500, special_tokens=SPECIAL, show_progress=False)
    made.train_from_iterator([" ".join(words) for words, _ in sentences], trainer)
    around = [(name, made.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=around)
    named = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=64, **named)


def train(sentences: list[Sentence], epochs: int = 20) -> None:
    """Trains a small BERT on the first piece of each word, and saves it to the folder `model`."""
    names = sorted({tag for _, tags in sentences for tag in tags})
    tokenizer = make_tokenizer(sentences)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=64,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        id2label=dict(enumerate(names)),
        label2id={name: number for number, name in enumerate(names)},
    )
    torch.manual_seed(0)
    network = BertForTokenClassification(config)
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(sentences)).split(32):
            chosen = [sentences[number] for number in batch]
            words = [one for one, _ in chosen]
            inputs = tokenizer(words, is_split_into_words=True, padding=True, return_tensors="pt")
            wanted = torch.full(inputs["input_ids"].shape, -100)
            for row, (_, tags) in enumerate(chosen):
                owners = inputs.word_ids(row)
                for number, tag in enumerate(tags):
                    wanted[row, owners.index(number)] = names.index(tag)
            loss = network(**inputs, labels=wanted).loss
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    network.save_pretrained("model")
    tokenizer.save_pretrained("model")


if __name__ == "__main__":
    train(write_data())
