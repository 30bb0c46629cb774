"""Figure 2."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.song2019.figure2 import FIGURE2


def test_more_people_are_trained_on_and_as_many_are_asked_about() -> None:
    """The others, and the pool, grow with them."""
    files = {cell.values["users"]: cell.files[0] for cell in unfold(FIGURE2, "quick")}
    assert {users: (file.secrets.count, file.secrets.controls) for users, file in files.items()} == {
        users: (users, users) for users in (25, 50, 100, 200, 350)
    }
    assert files[350].data.options["users"] == 1450
