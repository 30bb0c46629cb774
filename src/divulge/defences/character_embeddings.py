"""Reads words from their characters too: pure data, acted on by the target's recipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from divulge.defences.base import Defence
from divulge.records import Record

__all__ = ["CharacterEmbeddings"]


class CharacterEmbeddings(Defence):
    """Appends what a character CNN reads of a word to the word's vector.

    Paper: parikh2022, section 6 (CE), with the CNN of Ma and Hovy (2016); its sizes are not printed.
    Needs: a target whose recipe has `characters`.
    Idea: The attack of the paper mixes word vectors, and has no characters to mix. Whoever knows the defence mixes,
        or tries one by one, whole input vectors: those of a word and of its characters belong together, and the
        CNN's part is computed once for each candidate. Against that attacker it hides nothing.
    Cost: somewhat slower training and more weights; words that were never seen may be read better.
    """

    name = "character-embeddings"
    summary = "read words from their characters as well, with a small CNN"
    recipe_fields = ("characters",)
    harmless: ClassVar[Mapping[str, Any]] = {"on": False}

    class Options(Record):
        """Whether characters are read; false changes nothing."""

        on: bool = True

    def on_recipe(self, recipe: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the recipe with characters turned on."""
        return {**recipe, "characters": True} if self.options.on else recipe
