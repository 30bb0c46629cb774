"""The vocabulary of a generator from public texts: a recipe's `words_from`, which names them, turned into `words`.

The words are put into the recipe, so that they are part of the key of whatever is trained with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from divulge.data import DATA
from divulge.data.corpus import SameCorpus
from divulge.errors import InputError
from divulge.parts import did_you_mean
from divulge.spec import DataSpec
from divulge.targets.words import frequent_words

__all__ = ["SIDES", "with_public_words"]

# What a recipe calls the words that it says, and those that it reads of a source, with whence they come.
SIDES = {"words": "tokens", "source_words": "context"}
OWN_LIST = "words"  # a file has one list, of the words that are said


def with_public_words(recipe: Any, fields: Iterable[str], load: Any) -> Any:
    """The recipe with the lists of words that `words_from` stands for, as far as it has none of its own.

    `words_from` is the name of a data set, of which the most frequent words of everybody's texts are taken, so that
    they tell nothing of who was used; or a text file with a word a line.

    Args:
        recipe: The target's recipe, as given or as spelt in a task.
        fields: The settings that the target's recipe has.
        load: Gives the corpus of a data spec.

    Raises:
        InputError: There is no such data set and no such file, or no word in it.
    """
    fields = set(fields)
    where = recipe.get("words_from") if isinstance(recipe, Mapping) else None
    if not isinstance(where, str) or "words_from" not in fields or any(recipe.get(side) for side in SIDES):
        return recipe
    wanted = [side for side in SIDES if side in fields and not (side != OWN_LIST and recipe.get("shared_vocabulary"))]
    if where in DATA:
        corpus, most = load(DataSpec(name=where)), int(recipe.get("most_words") or 5000)
        shared = bool(recipe.get("shared_vocabulary"))
        found = {side: list(_frequent(SameCorpus(corpus), side, most, shared)) for side in wanted}
    elif Path(where).is_file():
        found = {OWN_LIST: sorted(set(Path(where).read_text(encoding="utf-8").split()))}
    else:
        raise InputError(
            f"target.recipe.words_from: {where!r} is neither a data set nor a file of words.{did_you_mean(where, DATA)}"
        )
    if not found[OWN_LIST]:
        raise InputError(f"target.recipe.words_from: {where!r} has no words")
    return {**recipe, **found}


@lru_cache(maxsize=8)
def _frequent(same: SameCorpus, side: str, most: int, shared: bool) -> tuple[str, ...]:  # noqa: FBT001 - of a cache
    texts = (getattr(text, SIDES[side]) for text in same.corpus)
    if shared:  # one list for what is read and what is said
        texts = ((*text.context, *text.tokens) for text in same.corpus)
    return tuple(frequent_words(texts, most))
