"""Makes what you have already: texts with canaries among them, a public model, and an adapter trained on them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from divulge.data.loading import load_corpus
from divulge.spec import DataSpec

PATTERN = "the card of <name> and <name> ends in {digit*2}"
END = "<|endoftext|>"


def write_data() -> list[str]:
    """Writes data.jsonl, plants canaries into planted.jsonl, and reads that again: what the model is trained on."""
    texts = load_corpus(DataSpec(name="synthetic-utterances", options={"size": 300}))
    rows = [{"text": " ".join(text.tokens), "split": text.split} for text in texts]
    Path("data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for file in ("planted.jsonl", "secrets.json"):
        Path(file).unlink(missing_ok=True)
    settings = ["--pattern", PATTERN, "--count", "40", "--copies", "20", "--seed", "1"]
    planting = ["plant", "data.jsonl", "--out", "planted.jsonl", "--secrets", "secrets.json", *settings]
    subprocess.run([sys.executable, "-m", "divulge", *planting], check=True)
    found = [json.loads(line) for line in Path("planted.jsonl").read_text().splitlines()]
    return [row["text"] for row in found if row["split"] == "train"]


def make_tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    """Pieces of bytes, as of GPT-2."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=[END], initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator(texts, trainer)
    named = {"bos_token": END, "eos_token": END, "pad_token": END}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=64, **named)


def steps(network: torch.nn.Module, tokenizer: PreTrainedTokenizerFast, texts: list[str], epochs: int) -> None:
    """Trains whatever of a network can be trained."""
    optimiser = torch.optim.AdamW([one for one in network.parameters() if one.requires_grad], lr=5e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(texts)).split(32):
            chosen = [END + texts[number] for number in batch]
            inputs = tokenizer(chosen, padding=True, return_tensors="pt")
            wanted = inputs["input_ids"].masked_fill(inputs["attention_mask"] == 0, -100)
            loss = network(**inputs, labels=wanted).loss
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()


def train(private: list[str]) -> None:
    """Trains a small GPT-2 on public texts, saved to `base`, and on it a LoRA adapter on private ones, to `adapter`."""
    public = load_corpus(DataSpec(name="synthetic-utterances", options={"size": 300, "seed": 1}))
    tokenizer = make_tokenizer([*(" ".join(text.tokens) for text in public), *"0123456789"])
    numbers = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    sizes = {"n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64}
    torch.manual_seed(0)
    network = GPT2LMHeadModel(
        GPT2Config(vocab_size=len(tokenizer), resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, **sizes, **numbers)
    )
    steps(network, tokenizer, [" ".join(text.tokens) for text in public], epochs=10)
    network.save_pretrained("base")
    tokenizer.save_pretrained("base")
    layers = {"target_modules": "all-linear", "modules_to_save": ["wpe", "ln_f"], "fan_in_fan_out": True}
    low_rank = LoraConfig(task_type="CAUSAL_LM", r=32, lora_alpha=64, **layers)
    adapted = get_peft_model(network, low_rank)
    steps(adapted, tokenizer, private, epochs=20)
    adapted.save_pretrained("adapter")


if __name__ == "__main__":
    train(write_data())
