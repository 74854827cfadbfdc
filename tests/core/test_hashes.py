"""Hashes: the published numbers of SplitMix64."""

import numpy as np

from weft.core.hashes import GOLDEN, mixed


def test_steps_from_a_seed_are_those_of_the_generator() -> None:
    state = np.uint64(1234567) + np.arange(5, dtype=np.uint64) * GOLDEN
    assert mixed(state).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_every_bit_hangs_on_every_bit() -> None:
    values = np.arange(4000, dtype=np.uint64)
    for bit in (0, 31, 63):
        changed = mixed(values) ^ mixed(values ^ np.uint64(1 << bit))
        for other in (0, 31, 63):
            assert 1800 < ((changed >> np.uint64(other)) & np.uint64(1)).sum() < 2200


def test_whole_numbers_of_any_kind_are_taken() -> None:
    assert (mixed(np.arange(3, dtype=np.int32)) == mixed(np.arange(3, dtype=np.uint64))).all()
