"""What completions are ranked by: the target's loss, or how far it lies below that of models of the adversary's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from divulge.access import GradientAccess
from divulge.adversary import Practice
from divulge.attacks.completion_loss import CompletionLoss, Numbers
from divulge.errors import InputError
from divulge.records import FloatArray, Gaps

__all__ = ["CompletionScores", "references_for"]


class CompletionScores:
    """The loss of completions minus `weight` times its mean in the references; the least is the best guess."""

    def __init__(self, target: CompletionLoss, references: Sequence[CompletionLoss] = (), weight: float = 1.0) -> None:
        self.target, self.references, self.weight = target, tuple(references), weight
        self.sizes = target.sizes

    @property
    def affordable(self) -> int | None:
        """How many completions may still be asked about; None = as many as you like. References are the asker's own."""
        remaining = self.target.access.remaining
        return None if remaining is None else remaining // self.target.masks

    def __call__(self, numbers: Numbers) -> FloatArray:
        """Scores completions; (completions,), float64."""
        found = self.target(numbers)
        for reference in self.references:
            found = found - self.weight / len(self.references) * reference(numbers)
        return found

    @property
    def has_rough(self) -> bool:
        """Whether there is a quicker score that is right to about seven digits, and no budget that it would cost."""
        return self.affordable is None and all(one.has_rough for one in (self.target, *self.references))

    @property
    def magnified(self) -> float:
        """By how much the error of a single loss may be magnified in a score."""
        return 1.0 + (self.weight if self.references else 0.0)

    def rough(self, numbers: Numbers) -> FloatArray:
        """The same in single precision."""
        found = self.target.rough(numbers)
        for reference in self.references:
            found = found - self.weight / len(self.references) * reference.rough(numbers)
        return found

    def slopes(self, numbers: Numbers, hole: int) -> FloatArray:
        """Estimates to first order how the score differs between the candidates of one hole."""
        found = self.target.slopes(numbers, hole)
        for reference in self.references:
            found = found - self.weight / len(self.references) * reference.slopes(numbers, hole)
        return found


def references_for(hint: Gaps, practice: Iterable[Practice]) -> list[GradientAccess]:
    """The adversary's models that know the hint's label and tags; at least one."""
    every = list(practice)
    found = [
        access
        for access in (one.access.get(GradientAccess) for one in every)
        if access is not None and _knows(access, hint)
    ]
    if not found:
        raise InputError(
            f"calibrate is 'shadows', but of {len(every)} models of the adversary's own none has gradients and knows "
            "the label and tags of the secrets. Give the adversary shadows that are trained on secrets of the same "
            "pattern, or set calibrate to 'none'"
        )
    return found


def _knows(access: GradientAccess, hint: Gaps) -> bool:
    labelled = hint.label is None or hint.label in access.labels
    return labelled and (not access.tag_names or set(hint.tags or ()) <= set(access.tag_names))
