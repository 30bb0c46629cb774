"""Makes sentences with tagged names and places, data.jsonl, and a tagger that knows its training words, model.json."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

SYLLABLES = ["bar", "den", "fel", "gor", "hal", "kim", "lor", "mar", "nes", "pol", "ran", "sel", "tor", "vin", "wes"]
FRAMES = [
    "{name} moved to {place} last year",
    "the letter from {name} came to {place}",
    "in {place} we met {name} again",
    "{name} and {other} live in {place}",
]


def word(draw: np.random.Generator) -> str:
    """A made-up word."""
    return "".join(draw.choice(SYLLABLES, 3, replace=False))


def sentence(draw: np.random.Generator) -> dict[str, object]:
    """One sentence, its words and their tags."""
    tags = {word(draw): tag for tag in ("B-name", "B-name", "B-place")}
    name, other, place = tags
    words = str(draw.choice(FRAMES)).format(name=name, other=other, place=place).split()
    return {"tokens": words, "tags": [tags.get(one, "O") for one in words]}


if __name__ == "__main__":
    draw = np.random.default_rng(0)
    records = [{**sentence(draw), "split": "train" if number < 200 else "test"} for number in range(300)]
    Path("data.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))

    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        if record["split"] == "train":
            for one, tag in zip(record["tokens"], record["tags"], strict=True):
                counts[one][tag] += 1
    Path("model.json").write_text(json.dumps(counts))
