"""Passages for a causal language model: how they are cut into pieces, read, and scored a few positions at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.records import Passage
from divulge.targets.own.transformers_loading import Loaded
from divulge.targets.own.transformers_words import longest_of

if TYPE_CHECKING:
    import torch

__all__ = ["PassageReader", "ReadPassage"]

MOST_PIECES = 4096  # read at once
MOST_SCORES = 4_000_000  # of pieces at positions, held at once: 32 MB


class ReadPassage(NamedTuple):
    """A passage in pieces: what stands before its text, and the text."""

    before: list[int]
    text: list[int]


class PassageReader:
    """A network and its tokenizer; passages are a context and a text, both tuples of words."""

    def __init__(self, loaded: Loaded, max_tokens: int | None) -> None:
        self.network, self._tokenizer = loaded
        longest = longest_of(self.network, self._tokenizer)
        self._most = min(longest, max_tokens or longest)
        begins = [self._tokenizer.bos_token_id, self._tokenizer.eos_token_id]
        self._begin = next(([number] for number in begins if number is not None), [])
        table = self.network.get_output_embeddings()
        self.size = int(self.network.config.vocab_size if table is None else table.weight.shape[0])
        known = self._tokenizer.convert_ids_to_tokens(list(range(min(self.size, len(self._tokenizer)))))
        known += [None] * (self.size - len(known))
        self.names = tuple(f"<unused {n}>" if name is None else str(name) for n, name in enumerate(known))
        self._apart = self._answers_apart()
        # How many pieces are read at once: where scores do not come in parts, no more than can be held.
        self.at_once = MOST_PIECES if self._apart else max(1, MOST_SCORES // self.size)

    def read(self, passages: Sequence[Passage]) -> list[ReadPassage]:
        """Cuts passages into pieces: context and text together, as they would be read, a piece by where it ends."""
        if not passages:
            return []
        contexts = ["".join(f"{word} " for word in passage.context) for passage in passages]
        whole = [context + " ".join(one.tokens) for context, one in zip(contexts, passages, strict=True)]
        found = self._tokenizer(
            whole,
            add_special_tokens=False,
            padding=False,
            truncation=False,
            return_offsets_mapping=True,
            verbose=False,
        )
        read = []
        for context, numbers, spans in zip(contexts, found["input_ids"], found["offset_mapping"], strict=True):
            start = next((n for n, (_, end) in enumerate(spans) if end > len(context)), len(numbers))
            text = numbers[start:][: self._most - len(self._begin)]
            room = self._most - len(self._begin) - len(text)
            read.append(ReadPassage([*self._begin, *numbers[max(0, start - room) : start]], text))
        return read

    def scored(
        self, read: Sequence[ReadPassage], answer: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    ) -> list[npt.NDArray[Any]]:
        """What `answer` makes of scores (N, pieces) and true pieces (N,) of passages of one length, part by part."""
        import torch

        states = self._states(torch.tensor([[*one.before, *one.text] for one in read]))
        # A piece is told by the state before it; the first one of all has none where nothing begins a text.
        chosen = torch.cat([state[max(len(one.before), 1) - 1 : -1] for one, state in zip(read, states, strict=True)])
        true = torch.tensor(
            [number for one in read for number in one.text[0 if one.before else 1 :]], dtype=torch.int64
        )
        rows = max(1, MOST_SCORES // self.size)
        parts = [slice(start, start + rows) for start in range(0, len(true), rows)]
        told = [answer(self._scores(chosen[part]), true[part]) for part in parts]
        blind = [answer(torch.zeros(1, self.size), torch.tensor(one.text[:1])) for one in read if not one.before]
        every, first = iter(torch.cat([*told, *blind]).numpy()), iter(torch.cat(blind).numpy() if blind else ())
        return [
            np.array([next(every if one.before or place else first) for place in range(len(one.text))]) for one in read
        ]

    def loss(self, read: Sequence[ReadPassage]) -> torch.Tensor:
        """The summed cross-entropy of each text's pieces, of passages of one length; (B,)."""
        import torch

        numbers = torch.tensor([[*one.before, *one.text] for one in read])
        logits = self.network(input_ids=numbers, attention_mask=torch.ones_like(numbers)).logits[:, :-1]
        each = torch.nn.functional.cross_entropy(logits.transpose(1, 2), numbers[:, 1:], reduction="none")
        starts = torch.tensor([len(one.before) for one in read])
        counts = torch.arange(1, numbers.shape[1])[None] >= starts[:, None]
        return (each * counts).sum(dim=1)

    def _states(self, numbers: torch.Tensor) -> torch.Tensor:
        """The last states, or where the model makes more of them than its last layer does, the scores themselves."""
        import torch

        inputs = {"input_ids": numbers, "attention_mask": torch.ones_like(numbers), "use_cache": False}
        if self._apart:
            states: torch.Tensor = self.network.base_model(**inputs).last_hidden_state
            return states
        logits: torch.Tensor = self.network(**inputs).logits
        return logits

    def _scores(self, states: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = self.network.get_output_embeddings()(states) if self._apart else states
        return scores

    def _answers_apart(self) -> bool:
        """Whether the scores are the last states through the last layer, and nothing more: then they come in parts."""
        import torch

        if self.network.get_output_embeddings() is None or self.network.base_model is self.network:
            return False
        numbers = torch.arange(min(3, self.size))[None]
        training = self.network.training
        self.network.eval()
        with torch.no_grad():
            whole = self.network(input_ids=numbers).logits
            try:
                states = self.network.base_model(input_ids=numbers).last_hidden_state
                parts = self.network.get_output_embeddings()(states)
            except (AttributeError, RuntimeError, TypeError):
                return False
            finally:
                self.network.train(training)
        return parts.shape == whole.shape and bool(torch.allclose(parts, whole, rtol=1e-5, atol=1e-5))
