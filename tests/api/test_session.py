"""What is there while a call runs, and gone afterwards."""

from __future__ import annotations

import gc
import stat
from pathlib import Path

import pytest

from divulge.api.session import Session
from divulge.api.targets import GivenTarget, given_target
from divulge.api.texts import HandedTexts, given_data
from divulge.errors import InputError
from divulge.spec import DataSpec, TargetSpec
from divulge.store import Store
from divulge.targets.own.live import LiveModel

KIND = GivenTarget(TargetSpec(kind="fake-classifier"))


def handed(*texts: str) -> HandedTexts:
    """Texts in memory."""
    found = given_data(list(texts))
    assert isinstance(found, HandedTexts)
    return found


def test_texts_lie_in_a_private_file_while_it_is_open() -> None:
    """Readable by their owner alone; afterwards neither file nor draft is left."""
    session = Session(KIND, None)
    spec = session.spec_of(handed("good day"))
    assert spec.path is not None
    path = Path(spec.path)
    assert not path.exists()
    with session.opened():
        assert path.read_text(encoding="utf-8") == '{"text": "good day"}\n'
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) & 0o077 == 0
    assert list(path.parent.iterdir()) == []
    with session.opened():
        assert path.is_file()


def test_the_last_who_needs_the_texts_removes_them() -> None:
    """Two calls with the same texts do not take them from each other."""
    first, second = Session(KIND, None), Session(KIND, None)
    spec = first.spec_of(handed("good day"))
    assert second.spec_of(handed("good day")) == spec
    with first.opened():
        with second.opened():
            assert Path(spec.path or "").is_file()
        assert Path(spec.path or "").is_file()
    assert not Path(spec.path or "").exists()


def test_texts_are_removed_after_an_error() -> None:
    """However the call ends."""
    session = Session(KIND, None)
    spec = session.spec_of(handed("good day"))
    with pytest.raises(KeyError), session.opened():
        raise KeyError
    assert not Path(spec.path or "").exists()


def test_a_spec_is_left_as_it_is() -> None:
    """Data that lie somewhere are read from there."""
    spec = DataSpec(path="my.csv")
    assert Session(KIND, None).spec_of(spec) is spec


def test_the_object_is_held_while_it_is_open() -> None:
    """By the token that the spec names."""
    given = given_target(lambda texts: texts, labels=["a", "b"])
    session = Session(given, None)
    with session.opened():
        assert LiveModel(given.spec.recipe).learns is False
    with pytest.raises(InputError, match="hand it over again"):
        LiveModel(given.spec.recipe)


def test_where_finished_work_is_kept(store: Path, tmp_path: Path) -> None:
    """The store of the command line, one that was named, or a private one that goes with the session."""
    assert Session(KIND, None).store.root == store
    assert Session(KIND, tmp_path / "other").store.root == tmp_path / "other"
    own = Store(tmp_path / "own")
    live = given_target(lambda texts: texts, labels=["a", "b"])
    assert Session(live, own).store is own
    assert Session(given_target(lambda texts: texts, labels=["a", "b"], name="mine"), None).store.root == store
    session = Session(live, None)
    folder = session.store.root
    assert folder.is_dir()
    assert tmp_path not in folder.parents
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    del session
    gc.collect()
    assert not folder.exists()
