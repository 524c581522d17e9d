"""The built model against the table, and against what MuJoCo itself computes."""

from dataclasses import fields
from pathlib import Path

import mujoco
import numpy as np
import pytest

from him import robots
from him.errors import HimError
from him.robots import LEGS
from him.sim import model

NAMES = robots.names()
DONKEY = Path(__file__).parents[1] / "robots" / "donkey.toml"


@pytest.fixture(params=[*NAMES, str(DONKEY)])
def robot(request: pytest.FixtureRequest) -> robots.Robot:
    return robots.load(request.param)


@pytest.mark.parametrize("colliders", ["spheres", "solid"])
def test_every_robot_has_the_same_skeleton(robot: robots.Robot, colliders: str) -> None:
    built = model.build(robot, colliders).compile()
    assert (built.nbody, built.nq, built.nv, built.nu) == (14, 19, 18, 12)
    assert built.body(1).name == "base"
    assert tuple(built.actuator(i).name for i in range(12)) == robot.joint_names
    assert tuple(built.joint(i).name for i in range(13)) == ("root", *robot.joint_names)
    assert built.body_mass.sum() == pytest.approx(robot.mass, abs=1e-9)
    np.testing.assert_allclose(built.jnt_range[1:], robot.joint_limits)
    np.testing.assert_allclose(built.dof_armature[6:], robot.armature)
    np.testing.assert_allclose(built.dof_frictionloss[6:], robot.frictionloss)
    assert not built.dof_damping.any()


def test_options(robot: robots.Robot) -> None:
    option = model.build(robot).compile().opt
    assert option.timestep == 0.005
    assert (option.iterations, option.ls_iterations) == (model.ITERATIONS, model.LS_ITERATIONS)
    assert option.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    assert option.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
    assert option.jacobian == mujoco.mjtJacobian.mjJAC_DENSE


def test_the_foot_is_merged_as_mujoco_merges_static_bodies(robot: robots.Robot) -> None:
    ours = model.build(robot).compile()
    spec = mujoco.MjSpec()
    spec.compiler.fusestatic = True
    for name, leg in zip(LEGS, robot.legs, strict=True):
        calf = spec.worldbody.add_body(name=name)
        calf.add_freejoint()
        for body, link, com in (
            (calf, leg.calf, leg.calf.com),
            (calf.add_body(pos=leg.foot.origin), leg.foot, np.zeros(3)),
        ):
            i = link.inertia
            body.mass, body.ipos = link.mass, com
            body.fullinertia = [i.ixx, i.iyy, i.izz, i.ixy, i.ixz, i.iyz]
            body.explicitinertial = True
    fused = spec.compile()
    for name in LEGS:
        theirs, calf = fused.body(name), ours.body(f"{name}_calf")
        assert fused.nbody == 5
        np.testing.assert_allclose(calf.mass, theirs.mass, rtol=1e-12)
        np.testing.assert_allclose(calf.ipos, theirs.ipos, atol=1e-12)
        np.testing.assert_allclose(np.sort(calf.inertia), np.sort(theirs.inertia), rtol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_link_inertia_reaches_the_compiled_model(name: str) -> None:
    robot = robots.load(name)
    built = model.build(robot).compile()
    for body, link in [("base", robot.trunk), ("FR_hip", robot.leg.FR.hip), ("RL_thigh", robot.leg.RL.thigh)]:
        compiled = built.body(body)
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, compiled.iquat)
        turn = turn.reshape(3, 3)
        np.testing.assert_allclose(turn @ np.diag(compiled.inertia) @ turn.T, link.inertia.matrix, atol=1e-9)
        np.testing.assert_allclose(compiled.ipos, link.com, atol=1e-12)


def test_looks_and_colliders_weigh_nothing(robot: robots.Robot) -> None:
    bare = model.build(robot, "spheres").compile()
    for other in (model.build(robot, "solid").compile(), model.build(robot, visuals=True).compile()):
        assert other.ngeom != bare.ngeom
        np.testing.assert_array_equal(other.body_mass, bare.body_mass)
        np.testing.assert_array_equal(other.body_inertia, bare.body_inertia)


def test_motors_are_clipped_pd_controllers(robot: robots.Robot) -> None:
    built = model.build(robot).compile()
    data = mujoco.MjData(built)
    random = np.random.default_rng(1)
    for scale in (0.1, 3.0):
        data.qpos[7:] = robot.default_joint_pos + random.normal(scale=scale, size=12)
        data.qvel[6:] = random.normal(scale=scale, size=12)
        data.ctrl[:] = robot.default_joint_pos
        mujoco.mj_forward(built, data)
        torque = robot.kp * (data.ctrl - data.qpos[7:]) - robot.kd * data.qvel[6:]
        expected = np.clip(torque, -robot.torque_limits, robot.torque_limits)
        np.testing.assert_allclose(data.actuator_force, expected, atol=1e-9)
        assert np.array_equal(expected, torque) == (scale == 0.1)


def test_gains_can_be_exchanged() -> None:
    robot = robots.load("aliengo")
    built = model.build(robot).compile()
    model.set_gains(built, robot.stand_kp, robot.stand_kd)
    data = mujoco.MjData(built)
    data.qpos[7:], data.qvel[6:] = robot.default_joint_pos, 0.1
    data.ctrl[:] = robot.default_joint_pos + 0.1
    mujoco.mj_forward(built, data)
    np.testing.assert_allclose(data.actuator_force, 0.1 * robot.stand_kp - 0.1 * robot.stand_kd)


def test_at_home_the_lowest_foot_just_touches(robot: robots.Robot) -> None:
    spec = model.build(robot)
    built = spec.compile()
    data = mujoco.MjData(built)
    mujoco.mj_resetDataKeyframe(built, data, built.key("home").id)
    mujoco.mj_forward(built, data)
    lowest = min(data.geom(f"{leg}_foot").xpos[2] - built.geom(f"{leg}_foot").size[0] for leg in LEGS)
    assert lowest == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_array_equal(data.qpos[7:], robot.default_joint_pos)


def test_unknown_colliders_are_refused() -> None:
    with pytest.raises(HimError, match="choose one of spheres, solid"):
        model.build(robots.load("a1"), "meshes")


def test_every_number_of_a_drive_is_used(robot: robots.Robot) -> None:
    """A field added to the table must also reach the robot's arrays."""
    for field in fields(robot.joint.hip):
        plural = {"torque_limit": "torque_limits", "velocity_limit": "velocity_limits"}
        assert getattr(robot, plural.get(field.name, field.name)).shape == (12,)
