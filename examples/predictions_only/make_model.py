"""Makes reviews, data.jsonl, and what an overfitted model predicted for each, predictions.csv; no model is left."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

OPINIONS = {
    "negative": ["poor", "broken", "slow", "rude", "cold", "dirty"],
    "positive": ["great", "friendly", "quick", "clean", "fresh", "warm"],
}
FILLERS = ["the", "room", "staff", "food", "place", "was", "very", "quite", "our", "second", "visit", "with", "family"]


def review(opinion: str, draw: np.random.Generator) -> str:
    """Some words, two of them an opinion; sometimes they disagree."""
    other = str(draw.choice(sorted(OPINIONS)))
    words = [draw.choice(OPINIONS[opinion]), draw.choice(OPINIONS[other]), *draw.choice(FILLERS, 9, replace=False)]
    draw.shuffle(words)
    return " ".join(words)


if __name__ == "__main__":
    draw = np.random.default_rng(0)
    records = []
    for number in range(400):
        opinion = str(draw.choice(sorted(OPINIONS)))
        split = "train" if number < 200 else "test"
        records.append({"text": review(opinion, draw), "label": opinion, "split": split})
    Path("data.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))

    train = [record for record in records if record["split"] == "train"]
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 3)), LogisticRegression(C=1000))
    model.fit([record["text"] for record in train], [record["label"] for record in train])
    with Path("predictions.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["text", *model.classes_])
        for record, row in zip(records, model.predict_proba([one["text"] for one in records]), strict=True):
            table.writerow([record["text"], *row])
