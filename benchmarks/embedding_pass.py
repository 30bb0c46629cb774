"""The embedding pass of `sentence-encoder` over CMS against a bare, length-sorted transformers batch loop.

    python -m benchmarks.embedding_pass --size full --save

Both make the same vectors with the same network on one thread each: unpooled, the first 15 word pieces of every
text, which is read up to 128.
In the seconds of Divulge's side are cutting the texts into pieces with keywords sorted out (`as_read`), embedding, and
laying the rows out for the store (`train`); in those of the bare loop tokenising, sorting by length, padding, the
network, and rows cut from its states, with the best of some batch sizes. Both have their network loaded before.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.ratios import Ratio, Result, main
from divulge.data.corpus import Corpus
from divulge.data.loading import load_corpus
from divulge.records import Artefact
from divulge.spec import DataSpec
from divulge.targets.offline_models import installed_folder
from divulge.targets.sentence_encoder import SentenceEncoder

__all__ = ["SIZES", "Setting", "bare_loop", "measure"]


@dataclass(frozen=True)
class Setting:
    """The texts, the encoder's folder (None: the pretrained one), and how often each side is timed."""

    data: dict[str, Any]
    folder: str | None = None
    tokens: int = 15
    context: int = 128
    batch_sizes: tuple[int, ...] = (16, 32, 64, 128)
    sample: int = 500  # texts that the best batch size is sought with
    repeats: int = 3


SIZES = {
    "small": Setting({"name": "synthetic-sentences", "options": {"size": 200}}, sample=50, repeats=1),
    "full": Setting({"name": "cms"}),
}


def measure(size: str, setting: Setting | None = None) -> Result:
    """Embeds the same texts on both sides, in turns; the fastest turn of each counts."""
    chosen = setting or SIZES[size]
    corpus = load_corpus(DataSpec.model_validate(chosen.data))
    written = [" ".join(text.tokens) for text in corpus]
    target = SentenceEncoder(
        {"tokens": chosen.tokens, "context": chosen.context, **({"path": chosen.folder} if chosen.folder else {})}
    )
    folder = Path(chosen.folder) if chosen.folder else installed_folder("all-MiniLM-L6-v2")
    transformers = importlib.import_module("transformers")
    network = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    lengths = chosen.tokens, min(chosen.context, network.config.max_position_embeddings - 2)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        _ours(target, Corpus(corpus.texts[:1]))
        few = written[: chosen.sample]
        tried = {
            batch: _timed(lambda batch=batch: bare_loop(network, tokenizer, few, lengths, batch))[0]
            for batch in chosen.batch_sizes
        }
        best = min(tried, key=tried.__getitem__)
        mine, bare = [], []
        for _ in range(chosen.repeats):
            took, artefact = _timed(lambda: _ours(target, corpus))
            mine.append(took)
            took, rows = _timed(lambda: bare_loop(network, tokenizer, written, lengths, best))
            bare.append(took)
    finally:
        torch.set_num_threads(threads)
    return Result(
        name="embedding-pass",
        size=size,
        seconds={"divulge": min(mine), f"bare loop, batches of {best}": min(bare)},
        ratios=(Ratio("divulge / bare loop", min(mine) / min(bare), 1.2, "at most"),),
        agreement={
            "texts": float(len(corpus)),
            "largest difference": float(np.abs(artefact.arrays["rows"] - np.concatenate(rows)).max()),
        },
        setting={**asdict(chosen), "seconds_of_turns": {"divulge": mine, "bare loop": bare}},
        notes=(
            "seconds are those of the processor, since both sides have one thread: what else runs counts for neither",
            f"the bare loop's batch size is the best of {', '.join(map(str, chosen.batch_sizes))} on {len(few)} texts",
        ),
    )


def bare_loop(
    network: Any, tokenizer: Any, texts: Sequence[str], lengths: tuple[int, int], batch: int
) -> list[np.ndarray]:
    """The states of each text's first pieces, in the order of the texts; (pieces, d) each.

    `lengths` tell how many states are kept, and how many pieces are read.
    """
    tokens, context = lengths
    numbers = tokenizer(list(texts), truncation=True, max_length=context + tokenizer.num_special_tokens_to_add())
    numbers = numbers["input_ids"]
    order = sorted(range(len(texts)), key=lambda place: len(numbers[place]))
    rows: list[np.ndarray] = [np.empty(0)] * len(texts)
    with torch.inference_mode():
        for start in range(0, len(order), batch):
            places = order[start : start + batch]
            asked = tokenizer.pad({"input_ids": [numbers[place] for place in places]}, return_tensors="pt")
            states = network(**asked).last_hidden_state.numpy()
            for place, state in zip(places, states, strict=True):
                rows[place] = state[1 : 1 + min(tokens, len(numbers[place]) - 2)].copy()
    return rows


def _ours(target: SentenceEncoder, corpus: Corpus) -> Artefact:
    return target.train(target.as_read(corpus), np.random.default_rng(0))


def _timed(run: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    found = run()
    return time.process_time() - begin, found


if __name__ == "__main__":
    raise SystemExit(main((__doc__ or "").splitlines()[0], measure))
