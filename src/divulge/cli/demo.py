"""`divulge demo`: four audits of small models that are trained here and now, and one report."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from divulge.cli.auditing import ending, finish
from divulge.cli.engines import Workers, chosen_engine
from divulge.cli.output import AsJson, ShowSecrets, debugging

if TYPE_CHECKING:
    from divulge.spec import AuditSpec

__all__ = ["DEMO", "demo", "demo_specs"]

# The files, and for each the settings it is run with: once as it is, then with what a defence changes.
DEMO: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("tagger", ()),
    ("tagger", ('defences=[{name="deduplication"}]',)),
    ("classifier", ()),
    ("generator", ()),
    ("vectors", ()),
)


def demo(
    out: Annotated[Path, typer.Option(help="The run directory.")] = Path("runs/demo"),
    workers: Workers = None,
    *,
    show_secrets: ShowSecrets = False,
    as_json: AsJson = False,
) -> None:
    """Train four small models, attack them, and write one report; needs no data and no network.

    The tagger is attacked twice: as it is, and trained on deduplicated texts. Needs the extra: divulge[demo].
    """
    from divulge.engine.progress import progress_for
    from divulge.runs import run_specs
    from divulge.store import Store

    number = chosen_engine("local", workers).workers
    specs = demo_specs()
    results = run_specs(specs, Store(), workers=number, out=out, progress=progress_for(), debug=debugging())
    finish(results, out, show_secrets=show_secrets, as_json=as_json)
    ending(results, len(specs))


def demo_specs() -> tuple[AuditSpec, ...]:
    """What the demo runs."""
    from divulge.auditing.reading import read_checked

    folder = resources.files("divulge") / "templates" / "demo"
    found: list[AuditSpec] = []
    for name, settings in DEMO:
        with resources.as_file(folder / f"{name}.toml") as path:
            found += read_checked(path, settings).specs()
    return tuple(found)
