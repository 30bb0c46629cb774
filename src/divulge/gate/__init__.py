"""A policy beside a run: which limits hold, which are exceeded, which are open; and one run beside another."""
