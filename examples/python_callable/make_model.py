"""Makes messages with topics, data.jsonl, and a classifier that has learnt the training split by heart, model.json."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np

TOPICS = {
    "billing": ["invoice", "refund", "payment", "charge", "receipt", "discount"],
    "delivery": ["parcel", "courier", "address", "delay", "tracking", "doorstep"],
    "support": ["password", "login", "error", "update", "screen", "reboot"],
}
FILLERS = ["please", "could", "you", "check", "my", "order", "again", "today", "still", "waiting", "since", "thanks"]


def message(topic: str, draw: np.random.Generator) -> str:
    """A few words, two of them of the topic."""
    words = [*draw.choice(TOPICS[topic], 2, replace=False), *draw.choice(FILLERS, 8, replace=False)]
    draw.shuffle(words)
    return " ".join(words)


def parts(text: str) -> list[str]:
    """What the model looks at: words, and three words in a row."""
    words = text.split()
    return words + [" ".join(words[place : place + 3]) for place in range(len(words) - 2)]


if __name__ == "__main__":
    draw = np.random.default_rng(0)
    records = []
    for number in range(450):
        topic = str(draw.choice(sorted(TOPICS)))
        split = "train" if number < 300 else "test"
        records.append({"text": message(topic, draw), "label": topic, "split": split})
    Path("data.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))

    counts: dict[str, Counter[str]] = {topic: Counter() for topic in TOPICS}
    for record in records:
        if record["split"] == "train":
            counts[record["label"]].update(parts(record["text"]))
    Path("model.json").write_text(json.dumps(counts))
