"""What to do: pure data, validated as a whole before anything runs.

An `AuditFile` is what a user writes (audit.toml); it unfolds into one `AuditSpec` per attack. A `Study` is a
base file with axes. Names of parts are resolved in `audit.py`, where all parts meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from divulge.canonical import digest, freeze
from divulge.parts import validate
from divulge.records import Arm, FrozenMapping, Record
from divulge.secrets_spec import Family, SecretsSpec
from divulge.settings import apply_settings, read_audit_values, set_at

__all__ = [
    "AdversarySpec",
    "AuditFile",
    "AuditSpec",
    "BackgroundSpec",
    "DataSpec",
    "ExamplesSpec",
    "Family",
    "PartSpec",
    "Published",
    "RunSpec",
    "Scale",
    "SecretsSpec",
    "Study",
    "StudyScale",
    "TargetSpec",
    "apply_settings",
    "read_audit_file",
    "read_audit_values",
    "set_at",
]

MOST_MODELS = 1000  # each is resolved and trained by itself
SEEDS_APART = 1_000_003  # of the models of one audit: audits with seeds 0, 1, 2 … share none of their models
Count = Annotated[int, Field(ge=0)]
Scale = Literal["smoke", "quick", "paper"]


def _empty() -> Any:
    return freeze({})


def _listed(value: Any) -> Any:
    """Lets one name stand for a list of one; a set, whose order is that of the process, stays refused."""
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


class PartSpec(Record):
    """A part by name, with its options."""

    name: str
    options: FrozenMapping = Field(default_factory=_empty)


class TargetSpec(Record):
    """The model under audit: a kind of `divulge list targets` or "module:Class", its recipe, and where it lies.

    `path` is for targets that read an existing model: it is one more setting of their recipe. `epsilon` and `delta` are
    what a privacy accountant claims of the training: shown beside what an audit can prove, they change nothing else.
    """

    kind: str
    path: str | None = None
    recipe: FrozenMapping = Field(default_factory=_empty)
    epsilon: Annotated[float, Field(gt=0)] | None = None
    delta: Annotated[float, Field(ge=0, lt=1)] | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """The recipe, with the path in it where one is given."""
        return {**self.recipe, **({} if self.path is None else {"path": self.path})}


class DataSpec(Record):
    """Texts: a known data set or synthetic corpus by `name`, or a file of the user's by `path`."""

    name: str | None = None
    path: str | None = None
    columns: FrozenMapping = Field(default_factory=_empty)
    splits: tuple[str, ...] = ()
    limit: Annotated[int, Field(ge=1)] | None = None
    options: FrozenMapping = Field(default_factory=_empty)

    @model_validator(mode="after")
    def _one_source(self) -> DataSpec:
        if self.name is None and self.path is None:
            raise ValueError("give either name (a known data set) or path (a file of your own)")
        if self.name is not None and self.path is not None:
            raise ValueError("both name and path are given: remove one. --set data='{path=\"…\"}'")
        return self


class BackgroundSpec(Record):
    """What the adversary has offline: public text, models of its own, secrets known never to have been used.

    `target` tells what the adversary trains, where that is another kind of model than the audited one, or where that
    one is read and not trained; `paths` are finished models of theirs, opened as `target` or else as the audited kind.
    `recipes` are settings in which these models differ from each other, in turn: an adversary who does not know the
    audited model's sizes tries several.
    `seed` makes them the same for audits that differ only in their own seed, so that those share them: their canaries
    are then drawn without regard to the audited ones, and may by chance be the same.
    """

    corpus: DataSpec | None = None
    target: TargetSpec | None = None
    paths: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()
    references: Count = 0
    shadows: Count = 0
    controls: Count = 0
    seed: int | None = None
    recipes: tuple[FrozenMapping, ...] = ()

    @model_serializer(mode="wrap")
    def _spelt(self, spell: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leaves out recipes where there are none: the hashes of audits from before must not change."""
        told: dict[str, Any] = spell(self)
        return {name: value for name, value in told.items() if name != "recipes" or value}


class AdversarySpec(Record):
    """Who attacks: at which access, with how many queries, knowing the defence or not."""

    access: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()
    knows_defence: bool = False
    max_queries: Count | None = None
    background: BackgroundSpec = BackgroundSpec()


class AuditSpec(Record):
    """One cell: one target, one set of secrets, one adversary, at most one attack."""

    target: TargetSpec
    data: DataSpec
    secrets: SecretsSpec
    adversary: AdversarySpec = AdversarySpec()
    attack: PartSpec | None = None
    probes: tuple[PartSpec, ...] = ()
    defences: tuple[PartSpec, ...] = ()
    seed: int = 0
    models: Annotated[int, Field(ge=1)] = 1

    @property
    def hash(self) -> str:
        """The identity of this spec: a hash of its canonical spelling."""
        return digest(self, 16)

    def of_each_model(self) -> tuple[AuditSpec, ...]:
        """One spec per model, each with a seed of its own; the first keeps this one's."""
        seeds = (self.seed + SEEDS_APART * number for number in range(self.models))
        return tuple(self.model_copy(update={"seed": seed, "models": 1}) for seed in seeds)


class RunSpec(Record):
    """Settings of a run. Neither the device nor what tasks ask of the nodes of a cluster changes a key.

    `models` trains so many models, each with a seed and secrets of its own, and pools what is found. Several canaries
    in one model teach it their pattern and hide one another; one canary in each of several models does not.
    `ladder` runs every attack at each of these levels of access in turn, whatever adversary.access says.
    """

    seed: int = 0
    models: Annotated[int, Field(ge=1, le=MOST_MODELS)] = 1
    ladder: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()
    device: Literal["cpu"] = "cpu"
    resources: FrozenMapping = Field(default_factory=_empty)  # kind of task -> cpus, memory_gb, gpus


class AuditFile(Record):
    """The content of audit.toml. Defences are applied together, in order; attacks one by one."""

    target: TargetSpec
    data: DataSpec
    secrets: SecretsSpec
    adversary: AdversarySpec = AdversarySpec()
    attacks: tuple[PartSpec, ...] = ()
    probes: tuple[PartSpec, ...] = ()
    defences: tuple[PartSpec, ...] = ()
    run: RunSpec = RunSpec()

    def specs(self) -> tuple[AuditSpec, ...]:
        """One spec per attack, at each level of a ladder; without attacks, one that only probes."""
        attacks: Sequence[PartSpec | None] = self.attacks or (None,)
        rungs = [self.adversary.model_copy(update={"access": (level,)}) for level in dict.fromkeys(self.run.ladder)]
        return tuple(
            AuditSpec(
                target=self.target,
                data=self.data,
                secrets=self.secrets,
                adversary=adversary,
                attack=attack,
                probes=self.probes,
                defences=self.defences,
                seed=self.run.seed,
                models=self.run.models,
            )
            for adversary in rungs or [self.adversary]
            for attack in attacks
        )


class StudyScale(Record):
    """How large a study is run: which values its axes take, over which seeds, with which further settings.

    `variants` tells again what values of an axis do, where that is something else at this scale.
    """

    name: Scale
    axes: FrozenMapping = Field(default_factory=_empty)
    grids: tuple[FrozenMapping, ...] = ()
    seeds: tuple[int, ...] = ()
    settings: FrozenMapping = Field(default_factory=_empty)
    variants: FrozenMapping = Field(default_factory=_empty)
    note: str = ""


class Published(Record):
    """One printed number, and the row it belongs to."""

    cell: FrozenMapping
    attack: str | None
    metric: str
    value: float
    arm: Arm = "attack"
    note: str = ""


class ExamplesSpec(Record):
    """Sentences that a study shows beside what an attack made of them: drawn at random, or only alike ones.

    `above` is the least cosine of the attack's own choice and the truth. They come from public data sets alone.
    """

    attacks: tuple[str, ...]
    count: Annotated[int, Field(ge=1)] = 10
    above: Annotated[float, Field(ge=0, le=1)] | None = None


class Study(Record):
    """A table or figure as a value: a base file, the axes it varies, and what was published.

    `axes` maps an axis to its values. What a value does is told in one of three places: `settings[axis]` names the
    dotted path, or paths, of the audit file that it sets ("secrets.copies"; none for a mere label);
    `variants[axis][value]` maps paths to what they are set to, for values that change several fields, and
    `variants["axis other"]["value value"]` for what two axes decide together (each of them in `settings` too);
    `readings[axis][value]` maps metrics to their options, for axes that only look at the same guesses in another
    way (empty where the metric itself groups its figures by that axis, as `choice`).

    All values are combined, unless `grids` lists narrower combinations, also of values at which guesses are read. A
    scale narrows or replaces values, grids and seeds, and sets further paths. `copy_of` maps an attack to the faithful
    copy that it is compared with; `examples` asks for sentences beside their reconstructions.
    """

    name: str
    paper: str
    title: str
    base: FrozenMapping
    axes: FrozenMapping
    grids: tuple[FrozenMapping, ...] = ()
    settings: FrozenMapping = Field(default_factory=_empty)
    variants: FrozenMapping = Field(default_factory=_empty)
    readings: FrozenMapping = Field(default_factory=_empty)
    metrics: tuple[str, ...]
    seeds: tuple[int, ...] = (0,)
    scales: tuple[StudyScale, ...]
    copy_of: FrozenMapping = Field(default_factory=_empty)
    published: tuple[Published, ...] = ()
    examples: ExamplesSpec | None = None
    note: str = ""


def read_audit_file(path: Path, settings: Sequence[str] = ()) -> AuditFile:
    """Reads audit.toml, applies `--set` settings and validates it all; every problem in one error."""
    return validate(AuditFile, read_audit_values(path, settings), str(path))
