"""Controls of leaked rows are the same rows with other answers: what was guessed about them is not guessed again."""

from __future__ import annotations

from collections.abc import Sequence

from divulge.records import Guess, LeakedRow, Secret

__all__ = ["same_guesses"]


def same_guesses(
    guesses: Sequence[Guess], asked: Sequence[Secret], controls: Sequence[Secret], told_tokens: int = 0
) -> list[Guess]:
    """The guesses about the secrets that were `asked`, as those about controls of the very same hints.

    A control asks how alike a guess is to a text that is not behind its row, and whoever made the guess was not told
    which it would be compared with: it is as good for that as another one. None of them serves where the hints differ,
    as with an attack that is told how the text begins (`told_tokens`): then the list is empty.
    """
    found = {guess.secret_id: guess for guess in guesses}
    by_row = {secret.hint: found.get(secret.id) for secret in asked if isinstance(secret.hint, LeakedRow)}
    if told_tokens or not controls or any(control.hint not in by_row for control in controls):
        return []
    pairs = ((control, by_row[control.hint]) for control in controls if isinstance(control.hint, LeakedRow))
    return [guess.model_copy(update={"secret_id": control.id}) for control, guess in pairs if guess is not None]
