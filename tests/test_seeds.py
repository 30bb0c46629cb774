"""One seed, many generators, none in another's way."""

from __future__ import annotations

import numpy as np

from divulge.seeds import generator, seed_for


def test_derived_seeds_do_not_change_by_accident() -> None:
    """Golden values: other ones would make every stored result differ from a fresh one."""
    assert seed_for(0) == 7520536977032167579
    assert seed_for(0, "attack", "soft-token") == 1020973163484382306
    assert generator(3, "train", 1).integers(1000, size=3).tolist() == [322, 710, 341]


def test_every_seed_and_path_has_a_seed_of_its_own() -> None:
    """Seed, names, their number, order, borders and types all count; each fits into 63 bits."""
    paths = [(), ("a",), ("b",), ("a", "b"), ("b", "a"), ("ab",), ("a", 1), ("a", "1"), ("a", 1, ""), ("a", -1)]
    seeds = [seed_for(seed, *path) for seed in (-1, 0, 1, 2**70) for path in paths]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_what_a_part_draws_does_not_depend_on_others() -> None:
    """Numbers drawn from one generator leave those of another as they are."""
    alone = generator(0, "b").normal(size=4)
    generator(0, "a").normal(size=100)
    np.random.default_rng(0).normal(size=3)
    assert np.array_equal(generator(0, "b").normal(size=4), alone)
    assert not np.array_equal(generator(0, "a").normal(size=4), alone)
