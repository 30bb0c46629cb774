"""What a gate says: one judgement for each limit and figure, and the verdict and exit code that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from divulge.canonical import freeze
from divulge.records import Arm, FrozenMapping, Record

__all__ = ["EXIT_CODES", "GateVerdict", "Judged", "Judgement"]

GateVerdict = Literal["passed", "exceeded", "inconclusive"]
EXIT_CODES: Mapping[GateVerdict, int] = {"exceeded": 100, "inconclusive": 3, "passed": 0}  # the gravest first


class Judgement(Record):
    """One limit held against one figure, or against the lack of any; also what is judged beside the limits.

    `low` and `high` are the interval at the confidence of the limit, and `judged` is the number that was held against
    it. Where a limit is about the change since an earlier run, all of them are of how much worse the figure became.
    `clear` tells that the whole interval is beyond the limit, so that no doubt about the figure is behind it.
    """

    kind: Literal["limit", "leak", "failed spec", "broken access", "evidence"] = "limit"
    required: str
    verdict: GateVerdict
    reason: str
    about: str = ""
    metric: str | None = None
    arm: Arm | None = None
    group: FrozenMapping = Field(default_factory=lambda: freeze({}))
    spec_hash: str | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    judged: float | None = None
    clear: bool = False


class Judged(Record):
    """All judgements of a run. The verdict is made from them, and the exit code from the verdict: they always agree."""

    judgements: tuple[Judgement, ...]

    @property
    def verdict(self) -> GateVerdict:
        """The gravest of all; nothing judged is no evidence."""
        found = {one.verdict for one in self.judgements} or {"inconclusive"}
        return next(verdict for verdict in EXIT_CODES if verdict in found)

    @property
    def exit_code(self) -> int:
        """What the command line ends with."""
        return EXIT_CODES[self.verdict]

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        counts = {verdict: sum(one.verdict == verdict for one in self.judgements) for verdict in EXIT_CODES}
        parts = [f"{count} {verdict}" for verdict, count in counts.items() if count] or ["nothing was judged"]
        words = {
            "passed": "Passed: every limit holds",
            "exceeded": "Exceeded: a limit does not hold",
            "inconclusive": "Inconclusive: the evidence does not suffice",
        }
        return f"{words[self.verdict]} ({', '.join(parts)})."

    def shown(self) -> dict[str, Any]:
        """All of it for scripts."""
        judgements = [one.model_dump(mode="json") for one in self.judgements]
        return {"verdict": self.verdict, "exit_code": self.exit_code, "judgements": judgements}
