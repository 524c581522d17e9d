"""Joint friction as a torque: against its own recursion, and against MuJoCo's constraint."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
import torch

from him import robots
from him.sim import model as builder
from him.sim import motors
from him.sim.engine import SUBSTEP
from him.terrain import flat
from tests.sim import test_engines_agree as agree
from tests.sim import worlds

ROTOR = 0.02
DRY = 0.3
"""Friction of a flywheel in N m."""


@pytest.mark.parametrize("kind", worlds.KINDS)
def test_friction_stops_a_flywheel_and_never_turns_it_round(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = worlds.toy(1e3, [([0, 0, 0], 0.05)], 1e4, ROTOR)
    for joint in spec.joints[1:]:
        joint.frictionloss = DRY
    engine = worlds.make_toy(kind, spec, flat(4.0), 2, monkeypatch)
    qpos, qvel = torch.zeros(2, 19), torch.zeros(2, 18)
    qpos[:, 2], qpos[:, 3] = 50.0, 1.0
    qvel[0, 6:], qvel[1, 6:] = 1.0, -0.05
    worlds.place(engine, qpos, worlds.nominal(engine), qvel)
    rate, seen = np.array([1.0, -0.05]), []
    still = torch.zeros(2, worlds.JOINTS, device=engine.device)
    for speeds in worlds.run(engine, still, 8, lambda: engine.qvel[:, 6:].clone()):
        for _ in range(4):
            rate = rate - np.clip(motors.STOPS * rate, -SUBSTEP * DRY / ROTOR, SUBSTEP * DRY / ROTOR)
        seen.append(rate[0])
        np.testing.assert_allclose(speeds.cpu().numpy(), np.tile(rate[:, None], 12), atol=2e-4)
    assert seen[0] == pytest.approx(1 - 0.02 * DRY / ROTOR)
    assert 0 < seen[-1] < 1e-3


@pytest.mark.parametrize("name", robots.names())
def test_a_robot_moves_as_with_a_constraint_for_friction(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a second of motion on its feet: nearly the same, and far from what it is without friction."""
    robot, terrain = robots.load(name), flat(4.0)
    qpos = agree.starts(robot, terrain, torch.zeros(agree.WORLDS), torch.zeros(agree.WORLDS))
    law, none = motors.friction, np.zeros(12)

    def constraint(model: mujoco.MjModel) -> tuple[np.ndarray, np.ndarray]:
        return none, none

    def frictionless(model: mujoco.MjModel) -> tuple[np.ndarray, np.ndarray]:
        law(model)
        return none, none

    moved = {}
    for friction in (constraint, law, frictionless):
        monkeypatch.setattr(motors, "friction", friction)
        moved[friction] = agree.travel("native", robot, terrain, qpos)[0].qpos[:, 7:]
    apart = (moved[law] - moved[constraint]).abs().mean()
    assert apart < 0.0025
    assert apart < 0.4 * (moved[frictionless] - moved[constraint]).abs().mean()


def test_gains_beyond_what_a_step_can_follow_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A derivative gain that would turn a flywheel round in one step stops it instead, on both engines."""
    ended = []
    for kind in ("native", "warp"):
        spec = worlds.toy(1e3, [([0, 0, 0], 0.05)], 1e4, ROTOR)
        engine = worlds.make_toy(kind, spec, flat(4.0), 1, monkeypatch)
        qpos, qvel = torch.zeros(1, 19), torch.zeros(1, 18)
        qpos[:, 2], qpos[:, 3], qvel[:, 6:] = 50.0, 1.0, 1.0
        worlds.place(engine, qpos, replace(worlds.nominal(engine), kd=torch.full((1, 12), 100.0)), qvel)
        engine.step(torch.zeros(1, 12))
        ended.append(engine.qvel[:, 6:].abs().max())
    assert max(ended) < 0.01


@pytest.mark.parametrize("name", robots.names())
def test_walking_gains_are_not_cut(name: str) -> None:
    """At the nominal step, with the strongest motors the task draws."""
    robot = robots.load(name)
    assert (1.2 * robot.kd <= motors.stopping(builder.build(robot).compile())).all()
