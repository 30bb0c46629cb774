"""Sampling: shares against the formula, the falling temperature, beginnings that are told, scores."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from divulge.attacks.networks.decoder import Decoder, stacked
from divulge.attacks.networks.sampling import Drawing, drawn, temperature, write

WIDTH = 8


@pytest.fixture
def model() -> Decoder:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return Decoder(6, WIDTH, 2, layers=2, feed_forward=16).eval()


def rows_of(*lengths: int) -> list[np.ndarray]:
    rng = np.random.default_rng(2)
    return [rng.normal(size=(length, WIDTH)).astype(np.float32) for length in lengths]


@pytest.mark.parametrize(("place", "expected"), [(0, 3.0), (5, 2.0), (9, 1.2), (10, 1.0), (14, 1.0)])
def test_the_temperature_falls_over_ten_tokens(place: int, expected: float) -> None:
    """3 - 2 x place / 10, and 1 from the eleventh token on."""
    assert temperature(place, 3.0, 10) == pytest.approx(expected)


def shares(logits: list[float], top_k: int, heat: float, count: int = 100_000) -> list[float]:
    """How often each token is drawn if the chances are spread evenly."""
    chances = (torch.arange(count, dtype=torch.float64) + 0.5) / count
    found = drawn(torch.tensor([logits]).expand(count, -1), top_k, heat, chances)
    return (torch.bincount(found, minlength=len(logits)).double() / count).tolist()


def test_shares_are_those_of_the_formula() -> None:
    """The two best of ln 1, ln 8, ln 2, ln 27 at temperature 3: roots 2 and 3, so 2/5 and 3/5."""
    logits = [math.log(number) for number in (1, 8, 2, 27)]
    assert shares(logits, 2, 3.0) == pytest.approx([0, 0.4, 0, 0.6], abs=1e-4)


def test_temperature_one_is_the_plain_softmax() -> None:
    """The three best of ln 1, ln 8, ln 2, ln 27: 8/37, 2/37 and 27/37."""
    logits = [math.log(number) for number in (1, 8, 2, 27)]
    assert shares(logits, 3, 1.0) == pytest.approx([0, 8 / 37, 2 / 37, 27 / 37], abs=1e-4)


def test_more_than_there_are_is_all_of_them() -> None:
    """Forty of four tokens: 1, 8, 2 and 27 of 38."""
    logits = [math.log(number) for number in (1, 8, 2, 27)]
    assert shares(logits, 40, 1.0) == pytest.approx([1 / 38, 8 / 38, 2 / 38, 27 / 38], abs=1e-4)


def test_the_largest_chance_draws_the_last_of_the_best() -> None:
    """Shares that add up to a little less than 1 must not draw beyond them."""
    found = drawn(torch.tensor([[0.0, 1.0, 2.0]]), 2, 1.0, torch.tensor([1.0], dtype=torch.float64))
    assert found.tolist() == [1]


def test_scores_are_mean_log_likelihoods_at_temperature_one(model: Decoder) -> None:
    """Of every sentence drawn, at unlike temperatures, over its tokens and its end: as the whole model says."""
    rows, drawing = rows_of(4, 2), Drawing(generations=6, longest=5, top_k=4)
    for row, sentences in zip(rows, write(model, rows, drawing, np.random.default_rng(0)), strict=True):
        for one in sentences:
            wanted = [*one.tokens, 0][:5]
            with torch.no_grad():
                logits = model(torch.tensor([[model.start, *wanted[:-1]]]), *stacked([row]))[0]
            gains = logits.log_softmax(dim=1)[range(len(wanted)), wanted]
            assert one.score == pytest.approx(gains.mean().item(), abs=1e-5)


def test_sentences_are_drawn_as_often_as_asked_and_end(model: Decoder) -> None:
    """Two rows of 50 sentences of up to 5 tokens: some end before, none holds the end or the start."""
    found = write(model, rows_of(4, 2), Drawing(generations=50, longest=5), np.random.default_rng(0))
    assert [len(sentences) for sentences in found] == [50, 50]
    lengths = {len(one.tokens) for sentences in found for one in sentences}
    assert max(lengths) == 5
    assert min(lengths) < 5
    assert {number for sentences in found for one in sentences for number in one.tokens} <= set(range(1, 7))


def test_only_the_best_can_be_drawn(model: Decoder) -> None:
    """With one token to draw from, all generations are the greedy sentence."""
    rows, drawing = rows_of(4), Drawing(generations=5, longest=6, top_k=1)
    (sentences,) = write(model, rows, drawing, np.random.default_rng(0))
    greedy: list[int] = []
    while len(greedy) < 6:
        with torch.no_grad():
            best = int(model(torch.tensor([[model.start, *greedy]]), *stacked(rows))[0, -1].argmax())
        if best == 0:
            break
        greedy.append(best)
    assert {one.tokens for one in sentences} == {tuple(greedy)}


def test_what_is_told_stands_first_and_does_not_count(model: Decoder) -> None:
    """Two tokens told of one row, none of the other, an unknown one among them: scores are over the rest."""
    rows, drawing = rows_of(4, 4), Drawing(generations=8, longest=5)
    first, second = write(model, rows, drawing, np.random.default_rng(0), [(3, model.start), ()])
    assert {one.tokens[:2] for one in first} == {(3, model.start)}
    assert len({one.tokens[:2] for one in second}) > 1
    for one in first:
        wanted = [*one.tokens, 0][:5]
        with torch.no_grad():
            logits = model(torch.tensor([[model.start, *wanted[:-1]]]), *stacked(rows[:1]))[0]
        gains = logits.log_softmax(dim=1)[range(2, len(wanted)), wanted[2:]]
        assert one.score == pytest.approx(gains.mean().item(), abs=1e-5)


def test_all_told_leaves_nothing_to_score(model: Decoder) -> None:
    """Three told tokens of at most two: they are cut, and the score is 0."""
    (sentences,) = write(model, rows_of(3), Drawing(generations=2, longest=2), np.random.default_rng(0), [(1, 2, 3)])
    assert [(one.tokens, one.score) for one in sentences] == [((1, 2), 0.0)] * 2


def test_the_same_seed_draws_the_same(model: Decoder) -> None:
    """And another seed others."""
    rows, drawing = rows_of(4, 2), Drawing(generations=10, longest=8)
    first, again, other = (write(model, rows, drawing, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert first == again
    assert first != other
