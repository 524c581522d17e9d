"""Every reward against the paper's table of rewards, written out in NumPy."""

from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from him.env import rewards
from him.env.presets import AS_PRINTED
from him.env.rewards import Motion
from him.env.settings import Rewards
from him.errors import HimError

N = 50

PAPER = {
    "lin_vel_tracking": 1.0,
    "ang_vel_tracking": 0.5,
    "lin_vel_z": -2.0,
    "ang_vel_xy": -0.05,
    "orientation": -0.2,
    "joint_acceleration": -2.5e-7,
    "joint_power": -2e-5,
    "base_height": -1.0,
    "foot_clearance": -0.01,
    "action_rate": -0.01,
    "smoothness": -0.01,
}
"""Weights of the paper's table "Rewards"."""

OURS = ("stand_still", "overspeed", "following", "trunk_clearance", "foot_slip")

SIGMA, FINE = 0.25, 0.03

WIDTHS = {
    **dict.fromkeys(("command", "velocity", "rates", "gravity"), 3),
    **dict.fromkeys(("joint_offset", "joint_vel", "joint_acc", "torque", "overspeed"), 12),
    **dict.fromkeys(("action", "last_action", "before_last"), 12),
    **dict.fromkeys(("foot_z", "foot_speed", "corners", "slip"), 4),
}


def numbers() -> dict[str, np.ndarray]:
    """Every second command is zero; speeds are never negative."""
    rng = np.random.default_rng(3)
    drawn = {name: rng.normal(size=(N, width)) for name, width in WIDTHS.items()}
    drawn["height"] = rng.normal(size=N)
    for name in ("foot_speed", "slip"):
        drawn[name] = np.abs(drawn[name])
    drawn["command"][::2] = 0.0
    return drawn


def square(x: np.ndarray) -> np.ndarray:
    return (x**2).sum(axis=1)


def expected(n: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    bend = n["action"] - 2 * n["last_action"] + n["before_last"]
    moved = np.concatenate([n["velocity"][:, :2], n["rates"][:, 2:]], axis=1)
    off = n["command"] - moved
    return {
        "lin_vel_tracking": np.exp(-square(n["command"][:, :2] - n["velocity"][:, :2]) / SIGMA),
        "ang_vel_tracking": np.exp(-((n["command"][:, 2] - n["rates"][:, 2]) ** 2) / SIGMA),
        "lin_vel_z": n["velocity"][:, 2] ** 2,
        "ang_vel_xy": n["rates"][:, 0] ** 2 + n["rates"][:, 1] ** 2,
        "orientation": n["gravity"][:, 0] ** 2 + n["gravity"][:, 1] ** 2,
        "joint_acceleration": square(n["joint_acc"]),
        "joint_power": np.einsum("ij,ij->i", np.abs(n["torque"]), np.abs(n["joint_vel"])),
        "base_height": n["height"] ** 2,
        "foot_clearance": sum(n["foot_z"][:, i] ** 2 * n["foot_speed"][:, i] for i in range(4)),
        "action_rate": square(n["action"] - n["last_action"]),
        "smoothness": square(bend),
        "stand_still": np.where((n["command"] == 0).all(axis=1), square(n["joint_offset"]), 0.0),
        "overspeed": square(n["overspeed"]),
        "following": np.exp(-(square(off[:, :2]) + 0.5 * off[:, 2] ** 2) / FINE),
        "trunk_clearance": (np.minimum(n["corners"], 0.0) ** 2).mean(axis=1),
        "foot_slip": square(np.minimum(n["slip"], 1.5)),
    }


def motion(n: dict[str, np.ndarray]) -> Motion:
    return Motion(**{name: torch.from_numpy(value) for name, value in n.items()})


@pytest.mark.parametrize("name", [*PAPER, *OURS])
def test_each_term_is_the_papers(name: str) -> None:
    drawn = numbers()
    got = rewards.compute(motion(drawn), AS_PRINTED)[name]
    np.testing.assert_allclose(got.numpy(), expected(drawn)[name], rtol=1e-12)


def test_there_are_no_other_terms() -> None:
    assert set(rewards.TERMS) == {*PAPER, *OURS}


def test_weights_are_the_papers() -> None:
    ours = {name for name in asdict(Rewards()) if name.startswith(("ease", "following_"))}
    for weights in (Rewards(), AS_PRINTED):
        named = {name: value for name, value in asdict(weights).items() if name not in ours}
        assert named == PAPER | {name: getattr(weights, name) for name in OURS} | {"sigma": SIGMA}
    assert all(getattr(AS_PRINTED, name) == 0.0 for name in OURS)
    assert AS_PRINTED.ease == 1.0


def test_the_total_is_the_weighted_sum() -> None:
    drawn = numbers()
    ours = {"stand_still": -0.3, "overspeed": -0.1, "following": 0.7, "trunk_clearance": -3.0, "foot_slip": -0.2}
    weights = replace(AS_PRINTED, **ours)
    total = rewards.total(rewards.compute(motion(drawn), AS_PRINTED), weights)
    wanted = sum((PAPER | ours)[name] * value for name, value in expected(drawn).items())
    np.testing.assert_allclose(total.numpy(), wanted, rtol=1e-12)


def test_penalties_grow_to_their_full_weights() -> None:
    weights = replace(AS_PRINTED, ease=0.2, ease_from=0.1, ease_until=0.5)
    told = [rewards.stage(weights, done).ease for done in (0.0, 0.1, 0.3, 0.5, 1.0)]
    assert told == pytest.approx([0.2, 0.2, 0.6, 1.0, 1.0])
    assert rewards.stage(AS_PRINTED, 0.0).ease == 1.0, "the paper's have them from the start"
    drawn = numbers()
    terms = rewards.compute(motion(drawn), AS_PRINTED)
    less = rewards.total(terms, weights) - rewards.total(terms, weights, rewards.Stage(0.25, 1.0))
    penalties = [name for name, weight in PAPER.items() if weight < 0]
    assert len(penalties) == 9
    wanted = 0.75 * sum(PAPER[name] * expected(drawn)[name] for name in penalties)
    np.testing.assert_allclose(less.numpy(), wanted, rtol=1e-9)


def test_following_comes_to_be_earned() -> None:
    weights = Rewards(following=0.4, following_from=0.2, following_until=0.6)
    shares = [rewards.stage(weights, done).follow for done in (0.0, 0.2, 0.4, 0.6, 1.0)]
    assert shares == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0])
    drawn = numbers()
    terms = rewards.compute(motion(drawn), weights)
    more = rewards.total(terms, weights) - rewards.total(terms, weights, rewards.Stage(1.0, 0.25))
    np.testing.assert_allclose(more.numpy(), 0.75 * 0.4 * expected(drawn)["following"], rtol=1e-9, atol=1e-12)


def test_who_stands_under_a_command_to_turn_follows_nothing() -> None:
    still = {name: np.zeros_like(value) for name, value in numbers().items()}
    still["command"] += [0.0, 0.0, 0.8]
    terms = rewards.compute(motion(still), Rewards())
    assert (terms["lin_vel_tracking"] == 1.0).all()
    assert (terms["following"] < 1e-4).all()


def test_impossible_stages_are_refused() -> None:
    with pytest.raises(HimError, match="ease_until"):
        Rewards(ease_from=0.5, ease_until=0.4)


def test_perfect_motion_earns_exactly_the_tracking_weights() -> None:
    ideal = {name: np.zeros_like(value) for name, value in numbers().items()}
    ideal["command"] += [0.6, -0.2, 0.7]
    ideal["velocity"] += [0.6, -0.2, 0.0]
    ideal["rates"] += [0.0, 0.0, 0.7]
    ideal["gravity"] += [0.0, 0.0, -1.0]
    for weights, earned in ((AS_PRINTED, 1.5), (Rewards(), 1.5 + Rewards().following)):
        total = rewards.total(rewards.compute(motion(ideal), weights), weights)
        np.testing.assert_allclose(total.numpy(), earned)
