"""What every test relies on, however the tests were started."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

# A shell without job control starts background jobs with Ctrl-C ignored, and children inherit that: tests that
# interrupt a run would wait for an end that never comes.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _own_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What tests leave in the store must not be found by the user's audits, nor the other way round."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIVULGE_STORE", str(tmp_path_factory.mktemp("store")))
        yield
