"""Engines and toy bodies for the tests: the same test runs on every engine this machine has."""

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest
import torch
from torch import Tensor

from him import robots
from him.sim import engines, material
from him.sim import model as builder
from him.sim.bodies import Bodies
from him.sim.colliders import CONTACT
from him.sim.engine import Engine, Parameters
from him.terrain import Terrain

KINDS = ("native", "warp", "warp on cuda")
GRAVITY = 9.81
JOINTS = 12
"""As many as a robot has: kernels that were compiled for robots then serve the toys too."""


def make(
    kind: str, robot: Any, terrain: Terrain, worlds: int, bodies: Bodies | None = None, substeps: int = 4
) -> Engine:
    """An engine by kind; skips what this machine cannot run."""
    name, _, device = kind.partition(" on ")
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    return engines.make(name, robot, terrain, worlds, bodies, device or "cpu", device == "cuda", substeps)


def make_toy(
    kind: str, spec: mujoco.MjSpec, terrain: Terrain, worlds: int, patch: pytest.MonkeyPatch, substeps: int = 4
) -> Engine:
    """The real engine around a body that is no robot."""
    patch.setattr(builder, "build", lambda robot: spec)
    return make(kind, None, terrain, worlds, substeps=substeps)


def nominal(engine: Engine, kp: object = 0.0, kd: object = 0.0) -> Parameters:
    """Every world alike: nominal body, friction 1, no bounce, no delay."""
    n, device = engine.worlds, engine.device

    def rows(value: object) -> Tensor:
        return torch.as_tensor(np.array(value), dtype=torch.float32, device=device).expand(n, JOINTS).clone()

    return Parameters(
        body=torch.zeros(n, dtype=torch.int32, device=device),
        friction=torch.ones(n, device=device),
        solref=torch.tensor([material.solref(0.0)], device=device).repeat(n, 1),
        impedance=torch.full((n,), material.IMPEDANCE, device=device),
        kp=rows(kp),
        kd=rows(kd),
        delay=torch.zeros(n, dtype=torch.int32, device=device),
    )


def place(engine: Engine, qpos: Tensor, parameters: Parameters, qvel: Tensor | None = None) -> None:
    """Start every world anew from rest, or with these velocities."""
    everyone = torch.ones(engine.worlds, dtype=torch.bool, device=engine.device)
    qvel = torch.zeros_like(engine.qvel) if qvel is None else qvel
    engine.reset(everyone, qpos.to(engine.device), qvel.to(engine.device), parameters)


def standing(engine: Engine, robot: robots.Robot) -> Tensor:
    """Target of every world: the default pose."""
    pose = torch.tensor(robot.default_joint_pos.copy(), dtype=torch.float32, device=engine.device)
    return pose.repeat(engine.worlds, 1)


def stand(engine: Engine, robot: robots.Robot, parameters: Parameters | None = None) -> Tensor:
    """Put the robots up with the gains that hold them, and say what target holds them."""
    place(engine, home(engine, robot), parameters or nominal(engine, robot.stand_kp, robot.stand_kd))
    return standing(engine, robot)


def home(engine: Engine, robot: robots.Robot) -> Tensor:
    """Every world in the default pose with its feet on the ground at the origin."""
    qpos = [0, 0, robot.standing_height, 1, 0, 0, 0, *robot.default_joint_pos]
    return torch.tensor(qpos, dtype=torch.float32, device=engine.device).repeat(engine.worlds, 1)


def toy(mass: float, spheres: list[tuple[list[float], float]], inertia: float, rotor: float) -> mujoco.MjSpec:
    """A free body on spheres (centre, radius), with twelve motors that turn flywheels about its vertical.

    The flywheels sit in its centre, weigh a gram each, and have the inertia `rotor` about their axis.
    """
    spec = mujoco.MjSpec()
    builder._set_options(spec.option)
    base = spec.worldbody.add_body(name="base")
    base.add_freejoint(name="root")
    base.mass, base.inertia, base.explicitinertial = mass - JOINTS * 1e-3, [inertia] * 3, True
    for i, (centre, radius) in enumerate(spheres):
        kind = mujoco.mjtGeom.mjGEOM_SPHERE
        base.add_geom(name=f"sphere{i}", type=kind, pos=centre, size=[radius, 0, 0], **CONTACT)
    for i in range(JOINTS):
        wheel = base.add_body(name=f"wheel{i}")
        wheel.mass, wheel.inertia, wheel.explicitinertial = 1e-3, [rotor] * 3, True
        wheel.add_joint(name=f"wheel{i}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
        motor = spec.add_actuator(name=f"wheel{i}", target=f"wheel{i}", trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.gaintype, motor.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
    spec.add_key(name="home", qpos=[0, 0, 1, 1, 0, 0, 0] + [0] * JOINTS, ctrl=[0] * JOINTS)
    return spec


def run(engine: Engine, target: Tensor, periods: int, see: Callable[[], object] = lambda: None) -> list:
    """Hold a target and look after every control period."""
    seen = []
    for _ in range(periods):
        engine.step(target)
        seen.append(see())
    return seen
