"""Makes private notes, data.jsonl, public ones, public.jsonl, and the vectors of the private ones, vectors.npz."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from my_encoder import embed

NAMES = ["anna", "boris", "clara", "dinesh", "elena", "farid"]
ILLNESSES = ["asthma", "migraine", "diabetes", "eczema", "anaemia", "insomnia"]
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
FRAMES = [
    "{name} came in with {illness} on {day}",
    "on {day} we told {name} about the {illness}",
    "the {illness} of {name} was no better by {day}",
    "no sign of {illness} in {name} since {day}",
]


def note(draw: np.random.Generator) -> dict[str, object]:
    """One note; its keywords are what must not be known."""
    name, illness, day = (str(draw.choice(words)) for words in (NAMES, ILLNESSES, DAYS))
    text = str(draw.choice(FRAMES)).format(name=name, illness=illness, day=day)
    return {"text": text, "keywords": [name, illness]}


def written(path: str, notes: list[dict[str, object]]) -> None:
    """One note a line."""
    Path(path).write_text("".join(json.dumps(one) + "\n" for one in notes))


if __name__ == "__main__":
    draw = np.random.default_rng(0)
    private = [note(draw) for _ in range(100)]
    public = [one for one in (note(draw) for _ in range(300)) if one not in private]  # the adversary has other texts
    written("data.jsonl", private)
    written("public.jsonl", public)

    rows = embed([str(one["text"]) for one in private])
    lengths = np.array([len(row) for row in rows])
    padded = np.zeros((len(rows), lengths.max(), rows[0].shape[1]), dtype=np.float32)
    for place, row in zip(padded, rows, strict=True):
        place[: len(row)] = row
    np.savez("vectors.npz", rows=padded, lengths=lengths)
