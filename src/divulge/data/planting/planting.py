"""Plants canaries into a copy of a user's own data: two passes over it, and one over the copy to see what it became."""

from __future__ import annotations

from pathlib import Path

from divulge.data.canaries import plant
from divulge.data.files.own import own_options
from divulge.data.ids import fresh_key, key_from_seed
from divulge.data.patterns import Pattern, parse_pattern
from divulge.data.planting.drafts import draft_of, place_problems
from divulge.data.planting.drawing import PlantingPlan, draw_places, make_planted, toss
from divulge.data.planting.survey import Survey, fingerprint_of, survey
from divulge.data.planting.teaching import teaching_problems
from divulge.data.planting.traces import PlantedData
from divulge.data.planting.writing import reread, write_copy
from divulge.data.secrets import SecretsFile, write_secrets
from divulge.errors import InputError
from divulge.records import Record
from divulge.spec import DataSpec

__all__ = ["Planted", "PlantingPlan", "plant_data"]


class Planted(Record):
    """What was done, without a word of any canary."""

    data: str
    out: str
    secrets: str
    canaries: int
    planted: int
    held_out: int
    copies: int
    inserted: int
    records: int
    trained: int
    split: str
    label: str | None
    tag: str | None
    fingerprint: str


def plant_data(data: DataSpec, out: Path, secrets: Path, plan: PlantingPlan) -> Planted:
    """Writes the planted copy and the secrets file, or neither; every problem that can be foreseen in one error."""
    source = Path(data.path or "").expanduser()
    pattern = _checked(source, out, secrets, plan)
    found = survey(data, plan.split, pattern)
    problems = [*_form_problems(data, found, out), *teaching_problems(found, plan.label, plan.tag)]
    if problems:
        raise InputError(problems)
    key = fresh_key() if plan.seed is None else key_from_seed(plan.seed, "plant")
    heads, tails = toss(make_planted(plan, pattern, found, key), plan)
    plantings = tuple(one.model_copy(update={"split": plan.split}) for one in plant(heads, plan.copies))
    with draft_of(out) as draft:
        files = write_copy(data, draft, plan.split, found, draw_places(plan, found, plantings))
        copy = data.model_copy(update={"path": str(draft)})
        fingerprint = fingerprint_of(reread(copy, plan.split, found.records, plantings))
        traces = PlantedData(columns=data.columns, options=data.options, split=plan.split, files=files)
        content = SecretsFile(fingerprint, key, heads, tails, plantings, plan.spec(), traces)
        # The secrets come first: planted data without them could never be cleaned again.
        write_secrets(secrets, content)
        try:
            draft.rename(out)
        except BaseException:
            secrets.unlink(missing_ok=True)
            raise
    return Planted(
        data=str(source),
        out=str(out),
        secrets=str(secrets),
        canaries=plan.count,
        planted=len(heads),
        held_out=len(tails),
        copies=plan.copies,
        inserted=len(heads) * plan.copies,
        records=found.records,
        trained=found.trained,
        split=plan.split,
        label=plan.label,
        tag=plan.tag,
        fingerprint=fingerprint,
    )


def _checked(source: Path, out: Path, secrets: Path, plan: PlantingPlan) -> Pattern:
    """What can be said before the data is read; the parsed pattern."""
    problems = [*place_problems(out, "--out"), *place_problems(secrets, "--secrets")]
    if out.absolute() == secrets.absolute():
        problems.append(f"{out}: the planted data and the secrets need two names (--out, --secrets)")
    if source.is_dir() and out.absolute().is_relative_to(source.absolute()):
        problems.append(f"{out}: lies within the data itself (--out). Choose a place outside of it")
    if plan.count < 2:
        problems.append(f"--count must be at least 2: some canaries are planted, some held out. Got {plan.count}")
    if plan.copies < 1:
        problems.append(f"--copies must be at least 1. Got {plan.copies}")
    try:
        pattern = parse_pattern(plan.pattern, plan.candidates)
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    return pattern


def _form_problems(data: DataSpec, found: Survey, out: Path) -> list[str]:
    """Whether the copy would be read in another format than the data, by its name."""
    source = found.files[0].path
    if (
        Path(data.path or "").expanduser().is_dir()
        or own_options(data).format is not None
        or _endings(out) == _endings(source)
    ):
        return []
    ending = "".join(_endings(source))
    return [f"{out}: must end in {ending} or {ending}.gz as the data does, since the ending tells the format (--out)"]


def _endings(path: Path) -> list[str]:
    """The ending that tells the format."""
    return [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"][-1:]
