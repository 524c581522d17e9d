"""Behaviours stay in their ranges, all gaits come alike, and a robot's size counts."""

import pytest
import torch

from him import robots
from him.env import behaviour
from him.env.behaviour import GAITS, RANGES, Behaviours
from him.env.gait_settings import GaitSettings
from him.policy.terms import BEHAVIOUR

CPU = torch.device("cpu")


def drawn(name: str, count: int = 20_000) -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    values = Behaviours(robots.load(name), GaitSettings(), CPU)(torch.rand(count, behaviour.DRAWS))
    assert values.shape == (count, len(BEHAVIOUR))
    return dict(zip(BEHAVIOUR, values.unbind(-1), strict=True))


def test_a_go1_gets_the_published_ranges() -> None:
    got = drawn("go1")
    for name in RANGES:
        low, high = getattr(GaitSettings(), name)
        assert got[name].min().item() == pytest.approx(low, abs=0.01 * (high - low) + 0.002)
        assert got[name].max().item() == pytest.approx(high, abs=0.01 * (high - low) + 0.002)


def test_the_four_gaits_come_alike() -> None:
    got = drawn("go1")
    offsets = torch.stack([got[name] for name in ("phase", "offset", "bound")], -1)
    shares = [(offsets == torch.tensor(one)).all(-1).float().mean().item() for one in GAITS]
    assert shares == pytest.approx([0.25] * 4, abs=0.02)


def test_a_larger_robot_stands_higher_and_wider() -> None:
    got = drawn("aliengo")
    assert 0.37 + got["height"].min().item() == pytest.approx(0.05 * 0.37 / 0.30, abs=0.01)
    assert got["length"].min().item() == pytest.approx(0.448, abs=0.005)
    assert got["length"].max().item() == pytest.approx(0.576, abs=0.005)
    assert got["width"].max().item() == pytest.approx(0.488, abs=0.005)
    assert got["frequency"].max() <= 4.0
    assert got["swing"].max() <= 0.35


def test_the_nominal_behaviour_is_a_trot_within_the_ranges() -> None:
    for name in robots.names():
        trot = dict(zip(BEHAVIOUR, behaviour.trot(robots.load(name)), strict=True))
        assert (trot["phase"], trot["offset"], trot["bound"]) == (0.5, 0.0, 0.0)
        assert (trot["frequency"], trot["swing"], trot["height"], trot["pitch"]) == (3.0, 0.08, 0.0, 0.0)
        got = drawn(name, 2000)
        assert all(got[part].min() <= trot[part] <= got[part].max() for part in ("width", "length", "height"))
