"""Every reward of the gait written out in NumPy."""

from dataclasses import fields

import numpy as np
import pytest
import torch

from him.env import gait_rewards
from him.env.gait_rewards import Stride
from him.env.gait_settings import GaitRewards
from him.env.rewards import Motion, Stage
from him.policy.terms import BEHAVIOUR
from tests.env import test_rewards

N = test_rewards.N
SCALE = 0.25

PUBLISHED = {
    "lin_vel_tracking": 1.0,
    "ang_vel_tracking": 0.5,
    "swing_force": -4.0,
    "stance_velocity": -4.0,
    "body_height": -10.0,
    "attitude": -5.0,
    "foothold": -10.0,
    "swing_height": -30.0,
    "lin_vel_z": -0.02,
    "ang_vel_xy": -0.001,
    "foot_slip": -0.04,
    "collision": -5.0,
    "joint_limits": -10.0,
    "torque": -1e-4,
    "joint_velocity": -1e-4,
    "joint_acceleration": -2.5e-7,
    "action_rate": -0.01,
    "target_rate": -0.1,
    "target_bend": -0.1,
}
"""Weights of Walk These Ways, with the sign of the whole term."""


def numbers() -> dict[str, np.ndarray]:
    """Some actions are zero, as at the start of an episode."""
    rng = np.random.default_rng(5)
    drawn = test_rewards.numbers()
    drawn["last_action"][::3] = 0.0
    drawn["before_last"][::2, :6] = 0.0
    drawn |= {
        "behaviour": rng.uniform(0.1, 1.0, (N, len(BEHAVIOUR))),
        "phases": rng.uniform(size=(N, 4)),
        "contact": rng.uniform(size=(N, 4)),
        "foot": rng.normal(size=(N, 4, 2)),
        "lift": rng.uniform(0.0, 0.1, (N, 4)),
        "foot_velocity": rng.normal(size=(N, 4, 3)),
        "force": 10 * rng.normal(size=(N, 4, 3)),
        "loaded": rng.uniform(size=(N, 4)) < 0.5,
        "collisions": rng.integers(0, 3, N).astype(float),
        "overshoot": rng.uniform(size=N),
    }
    return drawn


def stride(n: dict[str, np.ndarray]) -> Stride:
    tensors = {name: torch.from_numpy(value) for name, value in n.items()}
    motion = Motion(**{name: tensors.pop(name) for name in Motion._fields})
    return Stride(motion=motion, **tensors, action_scale=SCALE)


def expected(n: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    b = dict(zip(BEHAVIOUR, n["behaviour"].T, strict=True))
    square = test_rewards.square
    push, speed = (n["force"] ** 2).sum(-1), (n["foot_velocity"] ** 2).sum(-1)
    gravity = np.stack([-np.sin(b["pitch"]), -np.cos(b["pitch"]) * np.sin(b["roll"])], -1)
    s = (np.abs(1 - 2 * n["phases"]) - 0.5) * 0.5 / b["frequency"][:, None]
    front, left = np.array([1, 1, -1, -1]), np.array([1, -1, 1, -1])
    x = front * b["length"][:, None] / 2 + s * n["command"][:, :1]
    y = left * b["width"][:, None] / 2 + front * s * n["command"][:, 2:] * b["length"][:, None] / 2
    tri = 1 - np.abs(1 - 2 * np.clip(2 * n["phases"] - 1, 0, 1))
    change, last = SCALE * (n["action"] - n["last_action"]), n["last_action"] != 0
    bend = SCALE * (n["action"] - 2 * n["last_action"] + n["before_last"])
    own = {
        "swing_force": ((1 - n["contact"]) * (1 - np.exp(-push / 100))).sum(-1) / 4,
        "stance_velocity": (n["contact"] * (1 - np.exp(-speed / 10))).sum(-1) / 4,
        "body_height": (n["height"] - b["height"]) ** 2,
        "attitude": ((n["gravity"][:, :2] - gravity) ** 2).sum(-1),
        "foothold": (x - n["foot"][..., 0]) ** 2 @ np.ones(4) + (y - n["foot"][..., 1]) ** 2 @ np.ones(4),
        "swing_height": ((1 - n["contact"]) * (b["swing"][:, None] * tri - n["lift"]) ** 2).sum(-1),
        "foot_slip": (n["loaded"] * (n["foot_velocity"][..., :2] ** 2).sum(-1)).sum(-1),
        "collision": n["collisions"],
        "joint_limits": n["overshoot"],
        "torque": square(n["torque"]),
        "joint_velocity": square(n["joint_vel"]),
        "target_rate": square(change * last),
        "target_bend": square(bend * last * (n["before_last"] != 0)),
    }
    shared = test_rewards.expected(n)
    return own | {name: shared[name] for name in gait_rewards.SHARED}


@pytest.mark.parametrize("name", PUBLISHED)
def test_each_term_is_the_published(name: str) -> None:
    drawn = numbers()
    got = gait_rewards.compute(stride(drawn), GaitRewards())[name]
    np.testing.assert_allclose(got.numpy(), expected(drawn)[name], rtol=1e-12)


def test_weights_are_the_published() -> None:
    weights = GaitRewards()
    assert {f.name: getattr(weights, f.name) for f in fields(weights)} == PUBLISHED | {"sigma": 0.25}
    assert set(gait_rewards.TERMS) == set(PUBLISHED)


def test_the_total_is_tracking_times_an_exponential() -> None:
    drawn = {name: 0.2 * value for name, value in numbers().items()}
    weights = GaitRewards()
    total = gait_rewards.total(gait_rewards.compute(stride(drawn), weights), weights)
    terms = expected(drawn)
    tracking = terms["lin_vel_tracking"] + 0.5 * terms["ang_vel_tracking"]
    others = sum(PUBLISHED[name] * value for name, value in terms.items() if "tracking" not in name)
    np.testing.assert_allclose(total.numpy(), tracking * np.exp(others), rtol=1e-10)
    assert (total >= 0).all()


def test_a_term_without_weight_does_not_count() -> None:
    drawn = numbers()
    for name in gait_rewards.OWN:
        weights = GaitRewards(**dict.fromkeys(gait_rewards.TERMS, 0.0) | {"lin_vel_tracking": 1.0, name: -0.1})
        terms = gait_rewards.compute(stride(drawn), weights)
        wanted = terms["lin_vel_tracking"] * torch.exp(-0.1 * terms[name])
        torch.testing.assert_close(gait_rewards.total(terms, weights), wanted)


def test_what_spoils_the_reward_comes_later() -> None:
    drawn = {name: 0.2 * value for name, value in numbers().items()}
    weights = GaitRewards()
    terms = gait_rewards.compute(stride(drawn), weights)
    whole, none = (gait_rewards.total(terms, weights, Stage(ease, 1.0)) for ease in (1.0, 0.0))
    torch.testing.assert_close(none, terms["lin_vel_tracking"] + 0.5 * terms["ang_vel_tracking"])
    half = gait_rewards.total(terms, weights, Stage(0.5, 1.0))
    torch.testing.assert_close(half, (whole * none).sqrt())
