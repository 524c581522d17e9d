"""A bad network: how late, how many lost, and nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from him.fake.path import Path


def path(latency: float = 0.0, loss: float = 0.0) -> Path:
    return Path(latency, loss, np.random.default_rng(0))


@given(st.integers(0, 20), st.lists(st.integers(0, 3), max_size=30))
def test_everything_arrives_in_order_and_exactly_so_late(latency: int, waves: list[int]) -> None:
    way, sent, arrived = path(0.002 * latency), [], []
    for tick in range(len(waves) + latency + 1):
        for _ in range(waves[tick] if tick < len(waves) else 0):
            sent.append((len(sent), tick))
            way.put(str(len(sent) - 1).encode(), 0.002 * tick)
        arrived += [(int(packet), tick - latency) for packet in way.take(0.002 * tick)]
    assert arrived == sent
    assert (way.carried, way.lost) == (len(sent), 0)


@pytest.mark.parametrize("loss", [0.0, 0.05, 0.5, 1.0])
def test_the_share_asked_for_is_lost(loss: float) -> None:
    way = path(loss=loss)
    for tick in range(4000):
        way.put(b"x", float(tick))
    assert len(way.take(4000.0)) + way.lost == 4000
    assert way.lost / 4000 == pytest.approx(loss, abs=0.03 if 0 < loss < 1 else 0.0)
