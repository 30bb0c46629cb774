"""The metrics: pure functions of guesses and answers."""
