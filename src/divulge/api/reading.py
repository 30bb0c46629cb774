"""From what a caller gave to the specs of a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from divulge.api.asked import given_adversary, given_parts, given_secrets
from divulge.api.choosing import default_attacks
from divulge.api.session import Session
from divulge.api.targets import GivenTarget, given_target
from divulge.api.texts import given_data
from divulge.auditing.resolving import Draft, draft_problems
from divulge.errors import InputError
from divulge.parts import validate
from divulge.spec import AuditFile, AuditSpec, DataSpec, PartSpec, RunSpec
from divulge.store import Store

__all__ = ["Reading", "Request"]

T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class Request:
    """What a caller gave, as it was given."""

    target: Any
    data: Any
    secrets: Any
    attacks: Any
    defences: Any
    adversary: Any
    probes: Any
    labels: Sequence[str] | None
    columns: Mapping[str, str] | None
    recipe: Mapping[str, Any] | None
    name: str | None
    store: Store | Path | str | None


class Reading:
    """A request read into specs; every problem is collected before any is told."""

    target: GivenTarget
    session: Session

    def __init__(self, request: Request) -> None:
        self.problems: list[str] = []
        self.secrets = self._tried(given_secrets, request.secrets)
        embeds = self.secrets is not None and self.secrets.kind == "rows"
        read = self._tried(
            lambda: given_target(
                request.target, labels=request.labels, name=request.name, recipe=request.recipe, embeds=embeds
            )
        )
        texts = self._tried(given_data, request.data, request.columns)
        if read is None:
            self._tried(given_parts, request.attacks or (), "attacks")
            raise InputError(self.problems)
        self.target, self.session = read, Session(read, request.store)
        self.data: DataSpec | None = None if texts is None else self.session.spec_of(texts)
        self.adversary = self._tried(given_adversary, request.adversary, self.session)
        self.attacks = None if request.attacks is None else self._tried(given_parts, request.attacks, "attacks")
        self.chooses = request.attacks is None
        self.defences = self._tried(given_parts, request.defences, "defences")
        self.probes = self._tried(given_parts, request.probes, "probes")

    def workers(self, wanted: int | None) -> int:
        """How many processes there are to be."""
        if self.target.here:
            if wanted:
                raise InputError(
                    f"workers is {wanted}, but this object is in this process alone. Leave workers out, or set it to 0"
                )
            return 0
        return (os.cpu_count() or 1) if wanted is None else wanted

    def specs(self, seed: int, models: int) -> tuple[AuditSpec, ...]:
        """One spec per attack; to be called while the session is open."""
        run = self._tried(validate, RunSpec, {"seed": seed, "models": models}, "run")
        if self.problems:
            raise InputError(dict.fromkeys([*self.problems, *self._drafted(seed)]))
        assert self.data is not None
        assert self.secrets is not None
        assert self.adversary is not None
        chosen = self.attacks or ()
        if self.chooses:
            chosen = self._chosen()
        file = AuditFile(
            target=self.target.spec,
            data=self.data,
            secrets=self.secrets,
            adversary=self.adversary,
            attacks=chosen,
            probes=self.probes or (),
            defences=self.defences or (),
            run=run or RunSpec(),
        )
        return file.specs()

    def _chosen(self) -> tuple[PartSpec, ...]:
        """The attacks of choice; if none fits, what else is wrong is told with it."""
        assert self.secrets is not None
        assert self.adversary is not None
        try:
            return default_attacks(self.target.spec, self.secrets, self.adversary, self.defences or ())
        except InputError as error:
            others = self._drafted(0)
            raise InputError(dict.fromkeys(others or error.problems)) from None

    def _drafted(self, seed: int) -> list[str]:
        """All that can be said against what is in shape, whatever attack it is about."""
        attacks: Sequence[PartSpec | None] = self.attacks or (None,)
        drafts = [
            Draft(
                target=self.target.spec,
                data=self.data,
                secrets=self.secrets,
                adversary=self.adversary,
                attack=attack,
                probes=self.probes or (),
                defences=self.defences or (),
                defended=self.defences is not None,
                seed=seed if isinstance(seed, int) else 0,
            )
            for attack in attacks
        ]
        return [problem for draft in drafts for problem in draft_problems(draft)]

    def _tried(self, make: Callable[..., T], *arguments: Any) -> T | None:
        try:
            return make(*arguments)
        except InputError as error:
            self.problems += error.problems
        return None
