"""What to look for, as pure data: the `[secrets]` of an audit file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, field_validator, model_serializer, model_validator

from divulge.canonical import freeze, thaw
from divulge.errors import InputError
from divulge.parts import validate
from divulge.records import FrozenMapping, Record

__all__ = ["Family", "SecretsSpec"]

Count = Annotated[int, Field(ge=0)]
LIKELY = 0.05  # how often somebody whose texts were not used may be taken for one whose texts were
LATER: dict[str, object] = {"supporting": 0, "label_of": None, "deleted": False}  # not spelt while they say nothing
LATER |= {"person": None, "alpha": LIKELY}
LATER |= {"unused_share": 0.0, "obfuscation": None, "ranked": 0}


def _empty() -> Any:
    return freeze({})


class Family(Record):
    """Canaries of one pattern, among several families that are planted into the same model."""

    pattern: str
    label: str | None = None
    tag: str | None = None
    candidates: FrozenMapping = Field(default_factory=_empty)


class SecretsSpec(Record):
    """What to look for: canaries made from a pattern, the users or single records of the data, or the leaked rows.

    `tag` names the entity that a tagger is taught the holes of a canary to be. With `coin`, an independent fair coin
    for each of the count + controls canaries decides whether it is planted: only so can epsilon be bounded from below.
    `held_out` names the split whose records or users are known not to have been trained on; without it they are drawn
    from the training split and kept from the model, which only works for a model that is trained here.

    `families` names several patterns, each with a label of its own: `count` canaries of each are planted together, and
    `controls` of each held out. `asked` is the one family to look for; without it, all are.

    `label_of` plants each of the `count` canaries in a class of its own, in place of `label`: in the rarest ones of the
    training split, the most frequent ones, or any. `supporting` plants, beside each canary, texts like it with other
    words in the holes: "all", one in every other class; a number, one so often in one other class (elmahdy2022).

    `person` is the one user whose texts are the question: by the name in the data, or by the opaque id of a report. The
    others are people known to be out, and a p-value of at most `alpha` counts as evidence that the texts were used.

    Of each member's texts, `unused_share` is kept from training, and is asked about all the same: nobody knows exactly
    what was used of theirs. `obfuscation` rewrites all texts before they are asked about; the model was trained on what
    people wrote. The adversary's own models know of neither.

    `ranked` are further canaries of the pattern that are not planted, and are not looked for either: attacks only place
    each among its decoys. A search may cost thousands of questions; to tell if ranks are uniform without a model that
    knows them takes many controls, and no search.

    `deleted`: the canaries were asked to be deleted, and the question is whether a trace of them is left. The data of a
    secrets file may then be other than those it was made for.
    """

    kind: Literal["canaries", "users", "records", "rows"] = "canaries"
    file: str | None = None
    pattern: str | None = None
    candidates: FrozenMapping = Field(default_factory=_empty)
    label: str | None = None
    tag: str | None = None
    coin: bool = False
    held_out: str | None = None
    copies: Count = 1
    count: Annotated[int, Field(ge=1)] = 10
    controls: Count = 10
    ranked: Count = 0
    valid_share: Annotated[float, Field(ge=0, lt=1)] = 0.0
    decoys: Annotated[int, Field(ge=1)] = 1000
    families: FrozenMapping = Field(default_factory=_empty)
    asked: str | None = None
    supporting: Literal["all"] | Count = 0
    label_of: Literal["rarest", "any", "most-frequent"] | None = None
    deleted: bool = False
    unused_share: Annotated[float, Field(ge=0, lt=1)] = 0.0
    obfuscation: str | None = None
    person: str | None = None
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = LIKELY

    @field_validator("person", mode="before")
    @classmethod
    def _numbered(cls, value: object) -> object:
        """Users of many files have numbers for names."""
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("supporting", mode="before")
    @classmethod
    def _all_or_number(cls, value: object) -> object:
        if value != "all" and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise ValueError('must be "all", or a whole number from 0 on')
        return value

    @model_serializer(mode="wrap")
    def _spelt(self, spell: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leaves out what came later and says nothing: the keys of results that were kept before must not change."""
        told: dict[str, Any] = spell(self)
        return {name: value for name, value in told.items() if name not in LATER or value != LATER[name]}

    @property
    def patterns(self) -> dict[str, Family]:
        """What canaries are made from, by family; a single pattern has no name."""
        if self.pattern is not None:
            only = Family(pattern=self.pattern, label=self.label, tag=self.tag, candidates=self.candidates)
            return {"": only}
        return {name: validate(Family, thaw(told), f"family {name!r}") for name, told in sorted(self.families.items())}

    @model_validator(mode="after")
    def _complete(self) -> SecretsSpec:
        self._check_families()
        if self.kind == "canaries" and self.file is None and self.pattern is None and not self.families:
            raise ValueError("canaries need either a pattern (or several families) or a secrets file")
        if self.kind == "canaries" and self.file is not None and self.pattern is not None:
            raise ValueError("both a pattern and a secrets file are given: remove one. --set secrets='{file=\"…\"}'")
        if self.kind != "canaries" and (self.file or self.pattern):
            raise ValueError(f"secrets of kind {self.kind!r} come from the data; remove file and pattern")
        if self.held_out is not None and self.kind not in ("records", "users"):
            raise ValueError(f"held_out is for secrets of kind 'records' or 'users', these are {self.kind!r}")
        if self.deleted and self.kind != "canaries":
            raise ValueError(f"deleted is for canaries, which have controls to compare with; these are {self.kind!r}")
        self._check_classes()
        self._check_person()
        self._check_what_is_asked()
        return self

    def _check_person(self) -> None:
        if self.person is not None and self.kind != "users":
            raise ValueError(
                f"person is for secrets of kind 'users', whose texts are asked about; these are {self.kind!r}"
            )
        if self.person is not None and not self.person.strip():
            raise ValueError("person is empty: name a user of the data, or leave it out")
        if self.person is not None and (self.unused_share or self.obfuscation is not None):
            raise ValueError("person asks about the texts as they are: remove unused_share and obfuscation")
        if self.person is None and self.alpha != LIKELY:
            raise ValueError("alpha is for the question about one person: set person too, or leave alpha out")

    def _check_what_is_asked(self) -> None:
        for name, given in (("unused_share", self.unused_share), ("obfuscation", self.obfuscation is not None)):
            if given and self.kind != "users":
                raise ValueError(f"{name} is for secrets of kind 'users', who wrote texts; these are {self.kind!r}")
        if self.unused_share and self.held_out is not None:
            raise ValueError(
                "unused_share keeps texts from a model that is trained here; with held_out it is trained on all of the "
                "training split: remove one"
            )

    def _check_classes(self) -> None:
        for name, given in (("supporting", self.supporting), ("label_of", self.label_of), ("ranked", self.ranked)):
            if given and (self.kind != "canaries" or self.file is not None):
                raise ValueError(f"{name} is for canaries that are made and planted here: remove it, or kind and file")
        if self.label_of and self.families:
            raise ValueError(
                "label_of gives canaries of one pattern their classes, families have a label each: remove it"
            )
        if self.ranked and self.families:
            raise ValueError("ranked is for canaries of one pattern, not of families: remove it, or raise controls")
        if self.label_of and self.label is not None:
            raise ValueError("both label and label_of say which class canaries are planted in: remove one")

    def _check_families(self) -> None:
        if self.asked is not None and self.asked not in self.families:
            known = ", ".join(sorted(self.families)) or "none"
            raise ValueError(f"asked must be one of the families: {known}")
        if not self.families:
            return
        if self.kind != "canaries" or self.file or self.pattern or self.label or self.tag or self.candidates:
            raise ValueError(
                "families are canaries, and each has a pattern, label, tag and candidates of its own: remove kind, "
                "file, pattern, label, tag and candidates from secrets itself"
            )
        seen: dict[tuple[str, str | None], str] = {}
        for name, told in self.families.items():
            if not isinstance(told, Mapping):
                raise ValueError(f"families.{name} must be a table with a pattern and a label")  # noqa: TRY004
            try:
                family = validate(Family, told, f"families.{name}")
            except InputError as error:
                raise ValueError("; ".join(error.problems)) from None
            twin = seen.setdefault((family.pattern, family.label), name)
            if twin != name:
                raise ValueError(f"families {twin} and {name} have the same pattern and label: raise count instead")
