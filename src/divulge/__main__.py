"""`python -m divulge` is the command line."""

from __future__ import annotations

from divulge.cli import main

if __name__ == "__main__":
    main()
