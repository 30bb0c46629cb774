"""Where findings are catalogued."""

from pathlib import Path

import pytest

from divulge.report.standards import REFUTED, standards

PAGE = Path(__file__).parents[2] / "docs" / "standards.md"


@pytest.mark.parametrize(
    ("kind", "access", "named"),
    [
        ("canaries", "LabelAccess", ("OWASP LLM02:2025", "MITRE ATLAS AML.T0024.001")),
        ("canaries", "GradientAccess", ("OWASP LLM02:2025",)),
        ("users", "RankedTokensAccess", ("OWASP AISVS 11.3.3", "MITRE ATLAS AML.T0024.000")),
        ("records", "GradientAccess", ("OWASP AISVS 11.3.3",)),
        ("rows", "EmbeddedRowsAccess", ("OWASP AISVS 8.4.1", "OWASP LLM08:2025")),
    ],
)
def test_each_kind_of_leak_has_its_entries(kind: str, access: str, named: tuple[str, ...]) -> None:
    """What is asked of an interface is another technique than what takes the weights."""
    assert standards(kind, (access,)) == (*named, "EDPB opinion 28/2024")


def test_every_entry_is_explained() -> None:
    """A report never names what docs/standards.md does not."""
    kinds = ("canaries", "users", "records", "rows")
    named = {one for kind in kinds for one in standards(kind, ("LabelAccess",))} | set(REFUTED)
    text = PAGE.read_text(encoding="utf-8")
    assert [one for one in sorted(named) if one.split()[-1] not in text] == []
