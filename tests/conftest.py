"""What every test relies on, however the tests were started."""

from __future__ import annotations

import signal

# A shell without job control starts background jobs with Ctrl-C ignored, and children inherit that: tests that
# interrupt a run would wait for an end that never comes.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
