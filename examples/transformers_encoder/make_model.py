"""Makes what you have already: an encoder in a transformers folder, `model`, and the private texts that it embeds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from divulge.data.loading import load_corpus
from divulge.spec import DataSpec
from divulge.targets.offline_models import offline_folder

if __name__ == "__main__":
    shutil.copytree(offline_folder("all-MiniLM-L6-v2"), "model", dirs_exist_ok=True)  # a real one, from a package
    for name, seed in (("data", 0), ("public", 1)):
        texts = load_corpus(DataSpec(name="synthetic-sentences", options={"size": 400, "seed": seed}))
        rows = [{"text": " ".join(text.tokens)} for text in texts]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
