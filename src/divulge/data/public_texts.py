"""What of the adversary's texts it may be handed: for leaked rows, none of the audited sentences themselves."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from divulge.data.corpus import Corpus
from divulge.errors import InputError

__all__ = ["audited_places", "must_differ", "without_places"]


def audited_places(corpus: Corpus, background: Corpus) -> tuple[int, ...]:
    """The places in the background of texts that are among the audited ones, to be left out.

    A few sentences may be in both. A background that is mostly the audited data is refused.
    """
    must_differ(corpus, background)
    private = {text.tokens for text in corpus}
    found = tuple(place for place, text in enumerate(background) if text.tokens in private)
    if 2 * len(found) > len(background):
        raise InputError(
            f"adversary.background.corpus: {len(found)} of its {len(background)} texts are among the "
            "audited ones, so the adversary would be told the answers. Give other texts, such as other splits"
        )
    return found


def without_places(corpus: Corpus, places: Collection[int]) -> Corpus:
    """The texts but for those at these places."""
    left_out = set(places)
    return replace(corpus, texts=tuple(text for place, text in enumerate(corpus) if place not in left_out))


def must_differ(corpus: Corpus, background: Corpus) -> None:
    """Refuses the audited data itself as public text."""
    if corpus.fingerprint == background.fingerprint:
        raise InputError(
            "adversary.background.corpus is the audited data itself, so the adversary would be told the answers. "
            "Give other texts, such as other splits"
        )
