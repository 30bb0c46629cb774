"""What `divulge.audit` returns: everything that was measured, and the ways to look at it. No secret is in it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from divulge.api.fragment import fragment
from divulge.api.session import Session
from divulge.api.words import summary_of
from divulge.errors import ExecutionError, InputError
from divulge.gate.judgements import Judged
from divulge.parts import did_you_mean
from divulge.records import Failure, Measurement, Outcome, Revealed, RunResults, SpecResult
from divulge.report import JUDGED, REPORTS, rendered
from divulge.report.grouping import verdict
from divulge.report.wording import counted
from divulge.reveal import reveal
from divulge.runs import read_results, write_results
from divulge.store import Store

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped,unused-ignore]

__all__ = ["AuditResult"]

FORMATS = {".htm": "html", ".html": "html", ".json": "json", ".md": "md", ".sarif": "sarif", ".xml": "junit"}
SHOWING = ("html", "md")  # formats that can show secrets
OWNER_ONLY = 0o600


class AuditResult:
    """All results of one call, or of one run directory.

    A notebook shows it as a table. Two are equal if their results are.
    """

    def __init__(self, run: RunResults, *, session: Session | None = None) -> None:
        self.run = run
        self._session = session

    @classmethod
    def load(cls, folder: Path | str) -> AuditResult:
        """Reads a run directory, as `save`, `divulge.audit(out=...)` and `divulge audit` leave one."""
        return cls(read_results(Path(folder)))

    @property
    def results(self) -> tuple[SpecResult, ...]:
        """One result for each attack."""
        return self.run.results

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What did not come to a result, and why."""
        return self.run.failures

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """All figures of all results."""
        return tuple(one for result in self.results for one in result.measurements)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """One value for each secret and metric; secrets are known by their ids alone."""
        return tuple(one for result in self.results for one in result.outcomes)

    @property
    def verdict(self) -> str:
        """The whole in one sentence."""
        return verdict(self.run)

    def summary(self) -> str:
        """What was found and what to do about it, in plain words."""
        return summary_of(self.run)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each figure: what was attacked, how, and the figure with its interval; all rows have all keys."""
        groups = sorted({key for one in self.measurements for key in one.group})
        return [
            {
                **_about(result),
                "metric": one.metric,
                "arm": one.arm,
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "n": one.n,
                **{f"group_{key}": one.group.get(key) for key in groups},
            }
            for result in self.results
            for one in result.measurements
        ]

    def outcome_rows(self) -> list[dict[str, Any]]:
        """One row for each secret and metric."""
        return [
            {**_about(result), "secret_id": one.secret_id, "metric": one.metric, "value": one.value}
            for result in self.results
            for one in result.outcomes
        ]

    def to_frame(self) -> pd.DataFrame:
        """The rows as a table of pandas."""
        return _frame(self.rows())

    def outcomes_frame(self) -> pd.DataFrame:
        """The rows of single secrets as a table of pandas."""
        return _frame(self.outcome_rows())

    def report(
        self,
        path: Path | str,
        format: str | None = None,  # noqa: A002 - what everybody calls it
        *,
        show_secrets: bool = False,
        judged: Judged | None = None,
    ) -> Path:
        """Writes a report and returns where it is.

        Args:
            path: The file.
            format: One of html, md, json, junit, sarif, card; by default what the file's name says.
            show_secrets: Shows secrets and guesses in plain words; the file is then readable by you alone.
            judged: What a policy says of the result, for the formats that show it.
        """
        place = Path(path)
        chosen = _format(place, format)
        if show_secrets and chosen not in SHOWING:
            raise InputError(f"{chosen.upper()} never holds secrets: use show_secrets with the format html or md")
        if judged is not None and chosen not in JUDGED:
            raise InputError(f"the format {chosen} shows no policy. Those that do: {', '.join(JUDGED)}")
        text = rendered(self.run, chosen, self._revealed() if show_secrets else None, judged=judged)
        _write(place, text, private=show_secrets)
        return place

    def save(self, folder: Path | str) -> Path:
        """Writes a run directory, results.json and report.html, as the command line reads it."""
        place = Path(folder)
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ExecutionError(f"{place}: cannot be made: {error.strerror}") from None
        write_results(place, self.run)
        self.report(place / "report.html")
        return place

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AuditResult) and self.run == other.run

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        counts = [counted(len(self.results), "result"), counted(len(self.measurements), "figure")]
        return f"<AuditResult: {self.verdict}; {', '.join(counts)}>"

    def _repr_html_(self) -> str:
        return fragment(self.run)

    def _revealed(self) -> Mapping[str, Sequence[Revealed]]:
        """The secrets in plain words, made again from what the call was given."""
        with self._session.opened() if self._session is not None else nullcontext():
            return reveal(self.run, self._session.store if self._session is not None else Store())


def _about(result: SpecResult) -> dict[str, Any]:
    spec: Any = result.spec
    return {
        "attack": spec["attack"]["name"] if spec["attack"] else None,
        "target": spec["target"]["kind"],
        "defences": " + ".join(one["name"] for one in spec["defences"]),
        "secrets": spec["secrets"]["kind"],
        "seed": spec["seed"],
        "spec_hash": result.spec_hash,
    }


def _frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    try:
        import pandas as pd
    except ImportError:
        raise InputError("pandas is not installed: pip install pandas, or use rows() and outcome_rows()") from None
    return pd.DataFrame(rows)


def _format(path: Path, chosen: str | None) -> str:
    found = chosen or FORMATS.get(path.suffix.lower())
    if found is None:
        raise InputError(f"{path}: its name tells no format. Known are {', '.join(FORMATS)}; or give format=...")
    if found not in REPORTS:
        raise InputError(f"unknown report format {found!r}.{did_you_mean(found, REPORTS)}")
    return found


def _write(path: Path, text: str, *, private: bool) -> None:
    try:
        with path.open("w", encoding="utf-8") as file:
            if private and path.is_file():
                os.fchmod(file.fileno(), OWNER_ONLY)  # before a word of it is there
            file.write(text)
    except OSError as error:
        raise ExecutionError(f"{path}: cannot be written: {error.strerror}") from None
