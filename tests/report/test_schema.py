"""The shape of results.json."""

from divulge.records import RunResults
from divulge.report.schema import DESCRIPTIONS, schema


def test_every_field_is_described() -> None:
    """In words of its own, and no words are left over."""
    made = schema()
    parts = {"RunResults": made, **made["$defs"]}
    fields = {name: set(part["properties"]) for name, part in parts.items() if "properties" in part}
    assert fields == {name: set(words) for name, words in DESCRIPTIONS.items()}
    assert all(one["description"] for name in fields for one in parts[name]["properties"].values())


def test_it_says_what_it_is() -> None:
    """Dialect, identity, and the version it is about."""
    made = schema()
    assert (made["$schema"], made["$id"]) == ("https://json-schema.org/draft/2020-12/schema", "urn:divulge:results:1")
    assert made["properties"]["schema_version"]["const"] == RunResults(results=()).schema_version
