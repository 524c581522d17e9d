"""One builder turns any robot's table into a MuJoCo model, ready for either engine.

The feet do not move against the calves, so their mass is merged into them: thirteen moving bodies, and fewer
bodies are faster on a GPU. Contact bits are set so that robot parts meet the ground and never each other.
"""

import mujoco
import numpy as np

from him.robots import JOINTS, LEGS, Robot
from him.robots.table import Array, Foot, Leg, Link
from him.sim import colliders as collision
from him.sim import look
from him.sim.engine import SUBSTEP

ITERATIONS = 10
"""Newton steps of the constraint solver, at most; MuJoCo itself ends earlier where it can, and two are the rule."""

LS_ITERATIONS = 20
"""Line-search steps within each of those."""


def build(robot: Robot, colliders: str = "spheres", visuals: bool = False) -> mujoco.MjSpec:
    """The robot alone, without ground; `colliders` is "spheres" or "solid" (see `him.sim.colliders`).

    Visible shapes cost time in every physics step, so they are added only where someone looks.
    """
    spec = mujoco.MjSpec()
    spec.modelname = robot.name
    spec.compiler.degree = False
    _set_options(spec.option)
    base = spec.worldbody.add_body(name="base", pos=[0, 0, robot.standing_height])
    base.add_freejoint(name="root")
    _set_inertia(base, robot.trunk.mass, robot.trunk.com, robot.trunk.inertia.matrix)
    for name, leg in zip(LEGS, robot.legs, strict=True):
        _add_leg(base, name, leg, robot)
    for index, name in enumerate(robot.joint_names):
        _add_motor(spec, name, robot, index)
    collision.add(spec, robot, colliders)
    if visuals:
        look.add(spec, robot)
    _add_home(spec, robot)
    return spec


def set_gains(model: mujoco.MjModel, kp: Array, kd: Array) -> None:
    """Give the motors of a compiled model other gains, for example those that stand without a policy."""
    motors = slice(0, len(kp))
    model.actuator_gainprm[motors, 0] = kp
    model.actuator_biasprm[motors, 1] = -kp
    model.actuator_biasprm[motors, 2] = -kd


def merge_foot(calf: Link, foot: Foot) -> tuple[float, Array, Array]:
    """Mass, centre of mass and inertia of calf and foot as one body, by the parallel axis theorem."""
    mass = calf.mass + foot.mass
    com = (calf.mass * calf.com + foot.mass * foot.origin) / mass
    inertia = _inertia_about(com, calf.mass, calf.com, calf.inertia.matrix)
    return mass, com, inertia + _inertia_about(com, foot.mass, foot.origin, foot.inertia.matrix)


def _inertia_about(point: Array, mass: float, com: Array, inertia: Array) -> Array:
    arm = com - point
    return inertia + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


def _set_options(option: mujoco.MjOption) -> None:
    option.timestep = SUBSTEP
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    option.iterations = ITERATIONS
    option.ls_iterations = LS_ITERATIONS


def _set_inertia(body: mujoco.MjsBody, mass: float, com: Array, inertia: Array) -> None:
    """Explicit, so that no geom can change what a body weighs."""
    body.mass = mass
    body.ipos = com
    body.fullinertia = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    body.explicitinertial = True


def _add_leg(base: mujoco.MjsBody, name: str, leg: Leg, robot: Robot) -> None:
    parent = base
    for joint, link in zip(JOINTS, leg.links, strict=True):
        drive = getattr(robot.joint, joint)
        body = parent.add_body(name=f"{name}_{joint}", pos=link.origin)
        body.add_joint(
            name=f"{name}_{joint}",
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=[1, 0, 0] if joint == "hip" else [0, 1, 0],
            limited=True,
            range=link.limits,
            armature=drive.armature,
            frictionloss=drive.frictionloss,
        )
        if joint == "calf":
            _set_inertia(body, *merge_foot(link, leg.foot))
        else:
            _set_inertia(body, link.mass, link.com, link.inertia.matrix)
        parent = body


def _add_motor(spec: mujoco.MjSpec, joint: str, robot: Robot, index: int) -> None:
    """A PD controller inside the physics step: torque = kp (target - angle) - kd velocity, clipped."""
    kp, kd, limit = robot.kp[index], robot.kd[index], robot.torque_limits[index]
    motor = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.gaintype = mujoco.mjtGain.mjGAIN_FIXED
    motor.gainprm[0] = kp
    motor.biastype = mujoco.mjtBias.mjBIAS_AFFINE
    motor.biasprm[:3] = [0, -kp, -kd]
    motor.forcelimited = True
    motor.forcerange = [-limit, limit]


def _add_home(spec: mujoco.MjSpec, robot: Robot) -> None:
    pose = robot.default_joint_pos
    spec.add_key(name="home", qpos=[0, 0, robot.standing_height, 1, 0, 0, 0, *pose], ctrl=pose)
