"""The table's rows on motors, seen in the motion: strength, gains, delay; and the external force and the start.

Numbers come from free flight and the recursion of one rotor.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from him import robots
from him.env import randomisation
from him.env import start as starting
from him.env.episode import Constants
from him.env.geometry import Feet
from him.env.randomisation import Randomiser
from him.env.settings import Randomisation, TaskSettings
from him.robots import Robot, kinematics
from him.sim.engine import SUBSTEP, Engine
from him.sim.heights import Heights
from him.terrain import arena, flat
from tests.sim import worlds
from tests.sim.worlds import GRAVITY

GO2 = robots.load("go2")
NONE = Randomisation.none()

ROTOR = 0.02
"""Inertia of a flywheel in kg m^2."""


def turning(kp: Any, kd: Any, targets: list[Any], delay: Any) -> np.ndarray:
    """A rotor under a PD motor, substep by substep, its torque that of the substep's beginning."""
    angle = rate = previous = np.zeros(np.shape(kp))
    for target in targets:
        for substep in range(4):
            wanted = np.where(substep < delay, previous, target)
            torque = kp * (wanted - angle) - kd * rate
            rate = rate + SUBSTEP * torque / ROTOR
            angle = angle + SUBSTEP * rate
        previous = target
    return angle


def rotors(kind: str, n: int, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """A heavy body high in the air with flywheels."""
    return worlds.make_toy(kind, worlds.toy(1e3, [([0, 0, 0], 0.05)], 1e4, ROTOR), flat(4.0), n, monkeypatch)


def spin(engine: Engine, parameters: Any, targets: list[Tensor]) -> np.ndarray:
    qpos = torch.zeros(engine.worlds, 19)
    qpos[:, 2], qpos[:, 3] = 50.0, 1.0
    worlds.place(engine, qpos, parameters)
    for target in targets:
        engine.step(target.to(engine.device))
    return engine.qpos[:, 7:].cpu().numpy()


@pytest.mark.parametrize("kind", worlds.KINDS)
def test_strength_and_gains_shape_the_step_response(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        NONE,
        replace(NONE, strength=(0.8, 0.8)),
        replace(NONE, strength=(1.2, 1.2)),
        replace(NONE, kp=(0.8, 0.8)),
        replace(NONE, kp=(1.2, 1.2)),
        replace(NONE, kd=(0.8, 0.8)),
        replace(NONE, kd=(1.2, 1.2)),
    ]
    engine = rotors(kind, len(rows), monkeypatch)
    draws = torch.full((1, randomisation.DRAWS), 0.5, device=engine.device)
    drawn = [Randomiser(GO2, row, engine.device)(draws) for row in rows]
    parameters = replace(
        worlds.nominal(engine), kp=torch.cat([p.kp for p in drawn]), kd=torch.cat([p.kd for p in drawn])
    )
    factors = np.array([(1, 1), (0.8, 0.8), (1.2, 1.2), (0.8, 1), (1.2, 1), (1, 0.8), (1, 1.2)])
    target = torch.full((len(rows), worlds.JOINTS), 0.1)
    expected = turning(factors[:, :1] * GO2.kp, factors[:, 1:] * GO2.kd, [target.numpy()] * 4, np.zeros((len(rows), 1)))
    found = spin(engine, parameters, [target] * 4)
    np.testing.assert_allclose(found, expected, atol=2e-5)
    apart = np.abs(expected[:, None, 0] - expected[None, :, 0])[np.triu_indices(len(rows), 1)]
    assert apart.min() > 1e-4


@pytest.mark.parametrize("kind", worlds.KINDS)
def test_a_delayed_target_acts_as_many_substeps_later(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one after the start, and every one after that."""
    engine = rotors(kind, 4, monkeypatch)
    delay = torch.arange(4, dtype=torch.int32, device=engine.device)
    parameters = replace(worlds.nominal(engine, 30.0, 0.7), delay=delay)
    targets = [torch.full((4, worlds.JOINTS), value) for value in (0.2, -0.1)]
    for count in (1, 2):
        kp, kd = np.full((4, worlds.JOINTS), 30.0), np.float32(0.7)
        expected = turning(kp, kd, [t.numpy() for t in targets[:count]], np.arange(4)[:, None])
        np.testing.assert_allclose(spin(engine, parameters, targets[:count]), expected, atol=2e-5)
    assert np.abs(np.diff(expected[:, 0])).min() > 1e-3


@pytest.mark.parametrize("kind", worlds.KINDS)
def test_two_coarse_substeps_keep_the_clock(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same control period, a delay rounded up to whole substeps, and a motion that differs by little."""
    spec = worlds.toy(1e3, [([0, 0, 0], 0.05)], 1e4, ROTOR)
    engine = worlds.make_toy(kind, spec, flat(4.0), 4, monkeypatch, substeps=2)
    assert engine.model.opt.timestep == 2 * SUBSTEP
    delay = torch.arange(4, dtype=torch.int32, device=engine.device)
    parameters = replace(worlds.nominal(engine, 30.0, 0.7), delay=delay)
    coarse = spin(engine, parameters, [torch.full((4, worlds.JOINTS), 0.2)])[:, 0]
    assert coarse[1] == pytest.approx(coarse[2], abs=1e-6)
    assert coarse[0] > coarse[1] > coarse[3] == pytest.approx(0.0, abs=1e-6)
    fine = turning(np.float32(30.0), np.float32(0.7), [np.float32(0.2)], 0)
    assert coarse[0] == pytest.approx(float(fine), rel=0.3)


@pytest.mark.parametrize("kind", worlds.KINDS)
def test_an_external_force_accelerates_as_newton_says(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It acts until it is written again."""
    mass, n = 4.0, 4
    engine = worlds.make_toy(kind, worlds.toy(mass, [([0, 0, 0], 0.05)], 0.1, 1e-3), flat(4.0), n, monkeypatch)
    qpos = torch.zeros(n, 19)
    qpos[:, 2], qpos[:, 3] = 50.0, 1.0
    worlds.place(engine, qpos, worlds.nominal(engine))
    force = torch.tensor([[0.0, 0, 0], [30, 0, 0], [0, -30, 0], [10, 20, 30]], device=engine.device)
    still = torch.zeros(n, worlds.JOINTS, device=engine.device)
    engine.push.copy_(force)
    worlds.run(engine, still, 5)
    engine.push.zero_()
    worlds.run(engine, still, 5)
    expected = (force / mass * 0.1).cpu() - torch.tensor([0, 0, GRAVITY * 0.2])
    torch.testing.assert_close(engine.qvel[:, :3].cpu(), expected, atol=1e-4, rtol=1e-5)
    assert (engine.qvel[:, 3:6].abs() < 1e-4).all()


def test_initial_joints_are_within_the_range_and_the_limits() -> None:
    """Half to one and a half times the default pose, and feet that hang just above the ground."""
    terrain, settings, device = arena("stairs", 3, (1, 1), border=1.0), TaskSettings(), torch.device("cpu")
    n = 512
    for robot in map(robots.load, robots.names()):
        uniform = torch.rand(n, starting.DRAWS + 12, generator=torch.Generator().manual_seed(1))
        uniform[0], uniform[1] = 0.0, 1.0
        zero = torch.zeros(n, dtype=torch.int64)
        constants = Constants(robot, terrain, settings, device)
        qpos, qvel = starting.start(
            uniform, zero, zero, constants, Feet(robot, device), Heights(terrain, device), settings
        )
        pose, limits = robot.default_joint_pos, robot.joint_limits
        ends = np.sort(np.stack([0.5 * pose, 1.5 * pose]), axis=0).clip(limits[:, 0], limits[:, 1])
        joints = qpos[:, 7:].double().numpy()
        assert (joints > ends[0] - 1e-5).all()
        assert (joints < ends[1] + 1e-5).all()
        np.testing.assert_allclose(joints.min(0), ends[0], atol=1e-5)
        np.testing.assert_allclose(joints.max(0), ends[1], atol=1e-5)
        assert (qvel[:, 6:] == 0).all()
        above = qpos[:, 2].numpy() - kinematics_heights(robot, joints)
        np.testing.assert_allclose(above, terrain.tiles.spawn_height[0, 0] + starting.GAP, atol=1e-3)


def kinematics_heights(robot: Robot, joints: np.ndarray) -> np.ndarray:
    return np.array([kinematics.base_height(robot, row) for row in joints])
