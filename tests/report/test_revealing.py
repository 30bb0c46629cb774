"""Secrets shown on request."""

from tests.report.whole_run import leaking, revealed_of

from divulge.report.revealing import shown, visible


def test_the_attack_comes_first() -> None:
    """In the order they came; what was not guessed or judged says so."""
    ((_, rows),) = revealed_of(leaking()).items()
    told = shown(rows)
    assert [one.secret_id for one in told] == ["a-1", "a-2", "c-1"]
    assert [one.right for one in told] == ["wrong", "right", "not judged"]
    assert [one.guess for one in told] == ["north", "pier", "no guess"]


def test_nothing_hides_in_a_text() -> None:
    """Marks that turn the line and control characters are spelt out; line breaks are spaces."""
    assert visible("a\u202eb\u200f\x00\n c\x7f") == "a⟨U+202E⟩b⟨U+200F⟩⟨U+0000⟩ c⟨U+007F⟩"
    assert visible("سلام é 👩‍👧") == "سلام é 👩‍👧"
