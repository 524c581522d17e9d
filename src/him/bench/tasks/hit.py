"""A load on a pendulum swings against the middle of the trunk's side."""

from dataclasses import dataclass

import mujoco
import numpy as np

from him.bench.tasks.scene import IRON, PASSED, Scene, Site, Task
from him.bench.tasks.table import TABLE
from him.fake.robot import SimulatedRobot
from him.robots import Robot

MISSED = "the load missed"

GRAVITY = 9.81

LOST = 0.1
"""A load that has lost this share of its energy has hit something."""


def lateral_hit(site: Site) -> Scene:
    """A ball on a thin arm, held aside until the robot stands; then it is aimed and let go."""
    t, side = TABLE, float(site.rng.choice([-1.0, 1.0]))
    pivot = [0.0, side * _out(site.robot), site.robot.standing_height + t.hit_rope]
    arm = site.spec.worldbody.add_body(name="pendulum", pos=pivot)
    arm.add_joint(name="pendulum", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[1, 0, 0])
    ball = arm.add_geom(
        name="load",
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        pos=[0, 0, -t.hit_rope],
        size=[t.hit_radius, 0, 0],
        mass=site.weight,
        rgba=[*IRON, 1.0],
    )
    ball.contype, ball.conaffinity, ball.condim, ball.priority = 1, 0, 3, 2
    ball.solref = [t.hit_contact, 1.0]
    string = {"type": mujoco.mjtGeom.mjGEOM_CAPSULE, "size": [0.004, 0, 0], "mass": 0.0}
    arm.add_geom(fromto=[0, 0, 0, 0, 0, -t.hit_rope], contype=0, conaffinity=0, rgba=[0.2, 0.2, 0.2, 1], **string)
    hand = site.spec.add_equality(name="hand", type=mujoco.mjtEq.mjEQ_JOINT, name1="pendulum")
    hand.objtype, hand.data[0] = mujoco.mjtObj.mjOBJ_JOINT, side * release_angle()
    home = site.spec.key("home")
    home.qpos = [*home.qpos, side * release_angle()]
    return Scene(Withstand(side), 0.0)


def release_angle() -> float:
    """Of the arm from the vertical, so that the load is `hit_height` above its lowest point."""
    return float(np.arccos(1.0 - TABLE.hit_height / TABLE.hit_rope))


def _out(robot: Robot) -> float:
    """From the middle of the trunk to the load's centre when it touches the side."""
    return float(robot.trunk.box[1] / 2 + TABLE.hit_radius)


@dataclass
class Withstand:
    """Take the hit and stay up."""

    side: float
    """1: the load comes from the left, -1: from the right."""
    value: float = 0.0
    _released: bool = False
    _hit: float | None = None

    def watch(self, robot: SimulatedRobot, walked: float) -> str | None:
        t = TABLE
        if not self._released and walked > t.hit_settle:
            self.release(robot)
        if self._released and self._hit is None and self._energy(robot) < (1.0 - LOST) * GRAVITY * t.hit_height:
            self._hit = walked
        if self._hit is None:
            return MISSED if walked > t.hit_settle + t.hit_recovery else None
        return PASSED if walked > self._hit + t.hit_recovery else None

    def release(self, robot: SimulatedRobot) -> None:
        """Hang the pendulum so that its lowest point touches the trunk's side, and let go."""
        t, model, data = TABLE, robot.model, robot.data
        out, yaw = self.side * _out(robot.robot), robot.heading
        body, joint = model.body("pendulum"), model.joint("pendulum")
        body.pos = data.qpos[:3] + np.array([-out * np.sin(yaw), out * np.cos(yaw), t.hit_rope])
        body.quat = [np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)]
        data.qpos[joint.qposadr], data.qvel[joint.dofadr] = self.side * release_angle(), 0.0
        data.eq_active[model.equality("hand").id] = 0
        self._released = True

    def _energy(self, robot: SimulatedRobot) -> float:
        """Of the load per kg, above its lowest point."""
        t, joint = TABLE, robot.data.joint("pendulum")
        height = t.hit_rope * (1.0 - np.cos(joint.qpos[0]))
        return float(0.5 * (t.hit_rope * joint.qvel[0]) ** 2 + GRAVITY * height)


TASKS = (Task("lateral-hit", "Lateral hit", "a1", "weight", lateral_hit),)
