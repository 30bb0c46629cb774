"""What a row's figure counts, how it was pooled, and where the study departs from the print: the `note` column."""

from __future__ import annotations

from collections.abc import Iterable

from divulge.records import Arm, Measurement

__all__ = ["COUNTED", "accountant_note", "attack_note", "joined", "models_words", "probe_note"]

COUNTED = {"canaries": "canaries", "users": "users", "rows": "sentences"}


def attack_note(
    arm: Arm,
    secrets: str,
    *,
    models: int,
    planned: int,
    averaged: bool = False,
    repeated: bool = False,
    closed_form: bool = False,
    failed_checks: Iterable[str] = (),
) -> str:
    """Says what n counts and how the models were put together; `repeated` ones were asked of several models."""
    counted = COUNTED.get(secrets, secrets)
    said = [f"n = {'distinct ' if repeated else ''}{counted} of {models_words(models)}"]
    if arm == "baseline" and closed_form:
        said.append("chance in closed form")
    elif models > 1:
        clustered = "interval clustered by model" + (f" and by {counted}" if repeated else "")
        said.append("mean over models" if averaged else clustered)
    if models < planned:
        said.append(f"{planned - models} of {models_words(planned)} missing")
    checks = list(dict.fromkeys(failed_checks))
    if checks:
        said.append(f"handshake failed ({', '.join(checks)}): a low figure may come from a broken access")
    return joined(said)


def probe_note(models: int, planned: int) -> str:
    """The same for what probes measure on each model."""
    said = [f"n = people, texts or queries tried on {models_words(models)}"]
    if models > 1:
        said.append("mean over models")
    if models < planned:
        said.append(f"{planned - models} of {models_words(planned)} missing")
    return joined(said)


def accountant_note(figure: Measurement) -> str | None:
    """What the epsilon of a private training is about; None for any other figure."""
    if figure.metric != "epsilon" or "delta" not in figure.group:
        return None
    if figure.group.get("unit") == "user":
        return f"n = users trained on; delta {figure.group['delta']:g}; of one person with all texts"
    return (
        f"n = training texts; delta {figure.group['delta']:g}; of one copy of one text: a canary of R copies is a "
        "group of R texts"
    )


def joined(parts: Iterable[str]) -> str:
    """One note of several, each once, empty ones left out."""
    return "; ".join(dict.fromkeys(part.strip() for part in parts if part.strip()))


def models_words(count: int) -> str:
    """So many models, in words."""
    return f"{count} model" if count == 1 else f"{count} models"
