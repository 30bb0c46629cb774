"""Only the best few tokens are shown."""

from __future__ import annotations

import numpy as np
import pytest
from tests.adapters import Labels, Tokens, sentences

from divulge.access import RankedTokensAccess, TokenLikelihoodAccess
from divulge.defences.output_limit import OutputLimit
from divulge.errors import InputError
from divulge.grants import Grant, level_of
from divulge.handshake import OwnerSample
from divulge.records import Artefact, Passage

PASSAGES = [Passage(tokens=text.tokens) for text in sentences()]


def limited(tokens: int | None, access: RankedTokensAccess | None = None) -> RankedTokensAccess:
    wrapped = OutputLimit({"tokens": tokens}).on_access(access or Tokens(), Artefact())
    assert isinstance(wrapped, RankedTokensAccess)
    return wrapped


@pytest.mark.parametrize("tokens", [1, 3, 7])
def test_ranks_beyond_the_limit_are_not_told(tokens: int) -> None:
    """Below the limit ranks are as before; all others are the limit itself."""
    access = limited(tokens)
    assert access.output_limit == tokens
    for shown, clear in zip(access.ranks(PASSAGES), Tokens().ranks(PASSAGES), strict=True):
        assert shown.tolist() == np.minimum(clear, tokens).tolist()
    assert max(int(row.max()) for row in Tokens().ranks(PASSAGES)) == 7  # the cut had something to do


def test_suggestions_stay_and_likelihoods_go() -> None:
    """The best token is shown as before; a likelihood would tell what lies beyond the limit."""
    access = limited(5)
    assert access.best(PASSAGES) == Tokens().best(PASSAGES)
    assert level_of(access) is RankedTokensAccess
    assert TokenLikelihoodAccess not in Grant([access])


def test_a_limit_does_not_widen_another() -> None:
    """Of two limits the narrower holds, in either order; so does that of the model itself."""
    assert limited(5, limited(2)).output_limit == 2
    assert limited(2, limited(5)).output_limit == 2
    assert limited(100).output_limit == 8


def test_without_a_limit_nothing_changes() -> None:
    """The access itself comes back; one of another kind always does."""
    tokens, labels = Tokens(), Labels()
    assert limited(None, tokens) is tokens
    assert OutputLimit().on_access(labels, Artefact()) is labels
    with pytest.raises(InputError, match="'tokens'"):
        OutputLimit({"tokens": 0})


@pytest.mark.parametrize("tokens", [1, 4])
def test_a_limit_is_no_broken_adapter(tokens: int) -> None:
    """The handshake passes."""
    assert all(check.passed for check in limited(tokens).handshake(OwnerSample(texts=sentences())))
