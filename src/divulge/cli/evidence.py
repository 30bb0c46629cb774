"""The sheets of evidence that lie beside a report where one person is the question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from divulge.records import RunResults

__all__ = ["evidence_files"]


def evidence_files(results: RunResults, *, show_secrets: bool) -> Iterator[tuple[str, str]]:
    """Names and contents: evidence.html and evidence.json, or, of several results, with the spec in the name."""
    from divulge.report.one_person import is_about_person

    about = [result for result in results.results if is_about_person(result)]
    if not about:
        return
    from divulge.auditing.person_facts import people_asked
    from divulge.report.evidence import as_html, as_json, evidence_of
    from divulge.store import Store

    people = people_asked(results, Store())
    for result in about:
        person = people[result.spec_hash]
        found = evidence_of(result, person.facts)
        stem = "evidence" if len(about) == 1 else f"evidence-{result.spec_hash}"
        shown = as_html(found, person.name, person.words) if show_secrets else as_html(found)
        yield f"{stem}.html", shown
        yield f"{stem}.json", as_json(found)
