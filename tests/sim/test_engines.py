"""Engines by name, and what a user reads who asks for one there is not."""

import pytest

from him import robots
from him.errors import HimError
from him.sim import engines
from him.sim.native_engine import NativeEngine
from him.sim.warp_engine import WarpEngine
from him.terrain import flat

GO2 = robots.load("go2")


def test_names() -> None:
    assert isinstance(engines.make("native", GO2, flat(2.0), 1, device="cpu"), NativeEngine)
    assert isinstance(engines.make("warp", GO2, flat(2.0), 1, device="cpu"), WarpEngine)


def test_the_cpu_gets_the_native_engine() -> None:
    assert isinstance(engines.make(None, GO2, flat(2.0), 1, device="cpu"), NativeEngine)


@pytest.mark.parametrize(
    ("name", "worlds", "device", "message"),
    [
        ("bullet", 1, "cpu", "choose one of warp, native"),
        ("native", 0, "cpu", "at least one world"),
        ("native", 1, "cuda", "runs on the CPU"),
    ],
)
def test_what_cannot_be_is_refused(name: str, worlds: int, device: str, message: str) -> None:
    with pytest.raises(HimError, match=message):
        engines.make(name, GO2, flat(2.0), worlds, device=device)


def test_a_period_has_one_two_or_four_substeps() -> None:
    with pytest.raises(HimError, match="1, 2 or 4 physics steps, not 3"):
        engines.make("native", GO2, flat(2.0), 1, device="cpu", substeps=3)
