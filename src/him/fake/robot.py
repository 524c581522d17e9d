"""A robot in plain MuJoCo C behind a link: what the controller drives when there is no robot at hand.

Nothing of training is in it. The robot has boxes and capsules, the ground is MuJoCo's own geometry, and the motors
are an explicit PD loop at 500 Hz. The controller that drives it is the one that would drive the robot, either in
lock-step through this class or over the wire (`him.fake.server`).
"""

from collections import deque
from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import NDArray

from him.deploy.messages import Command, State, damping, off
from him.deploy.settings import Settings
from him.env.settings import Noise
from him.robots import Robot
from him.sim import model as builder

Array = NDArray[np.float64]

STEP = 0.002
"""Physics step and motor loop in seconds."""


@dataclass(frozen=True)
class Sensors:
    """How well the simulated robot senses."""

    noise: Noise = field(default_factory=Noise)
    """Half-widths of uniform noise, as in training."""
    latency: int = 2
    """Motor loops between a measurement and its arrival at the controller."""


class SimulatedRobot:
    """Implements `him.deploy.links.Link`; `advance` lets the world go on with the last command."""

    refused = 0

    def __init__(
        self, robot: Robot, spec: mujoco.MjSpec, rng: np.random.Generator, sensors: Sensors | None = None
    ) -> None:
        self.robot, self._rng = robot, rng
        self._sensors = sensors or Sensors()
        spec.option.timestep = STEP
        self.model = spec.compile()
        # the motors' law is computed below: the actuators only pass torque on
        self.model.actuator_gainprm[:, 0] = 1.0
        self.model.actuator_biasprm[:] = 0.0
        self.data = mujoco.MjData(self.model)
        mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        self._trunk = self.model.geom("trunk").id
        self._command = off()
        self._torque = np.zeros(len(robot.joint_names))
        self._arriving: deque[State] = deque(maxlen=self._sensors.latency + 1)
        self._tick = 0
        mujoco.mj_forward(self.model, self.data)

    def send(self, command: Command) -> None:
        self._command = command

    def receive(self) -> State | None:
        return self._arriving[0] if self._arriving else None

    def close(self) -> None:
        self._command = off()

    def advance(self, duration: float) -> None:
        for _ in range(round(duration / STEP)):
            self._torque = self._motors()
            self.data.ctrl[:] = self._torque
            mujoco.mj_step(self.model, self.data)
            self._tick += 1
            self._arriving.append(self._measure())

    def _motors(self) -> Array:
        c = self._command
        if not c.servo:
            return np.zeros_like(self._torque)
        q, dq = self.data.qpos[7:19], self.data.qvel[6:18]
        torque = c.tau + c.kp * (c.q - q) + c.kd * (c.dq - dq)
        torque = np.clip(torque, -self.robot.torque_limits, self.robot.torque_limits)
        # at its highest speed a motor has no torque left to drive its joint on, only to brake it
        spent = (torque * dq > 0) & (np.abs(dq) > self.robot.velocity_limits)
        return np.where(spent, 0.0, torque)

    def _measure(self) -> State:
        d, n = self.data, self._sensors.noise

        def noisy(values: Array, width: float) -> Array:
            return values + n.scale * width * self._rng.uniform(-1.0, 1.0, values.shape)

        # noise on the attitude tilts gravity by about as much as the noise of training does
        tilt = noisy(np.zeros(3), n.gravity)
        attitude = np.empty(4)
        mujoco.mju_mulQuat(attitude, d.qpos[3:7], np.concatenate([[1.0], 0.5 * tilt]))
        mujoco.mju_normalize4(attitude)
        return State(
            joint_pos=noisy(d.qpos[7:19], n.joint_pos),
            joint_vel=noisy(d.qvel[6:18], n.joint_vel),
            joint_torque=self._torque.copy(),
            quaternion=attitude,
            angular_velocity=noisy(d.qvel[3:6], n.angular_velocity),
            acceleration=self._specific_force(),
            tick=self._tick,
        )

    def _specific_force(self) -> Array:
        """What an accelerometer in the trunk reads: upwards at rest, nothing in free fall."""
        felt, upright = np.empty(3), np.empty(4)
        mujoco.mju_negQuat(upright, self.data.qpos[3:7])
        mujoco.mju_rotVecQuat(felt, self.data.qacc[:3] - self.model.opt.gravity, upright)
        return felt

    def lie_down(self) -> None:
        """Put it on its belly with folded legs and motors off, as one finds a robot before its day begins."""
        low, high = self.robot.joint_limits.T
        self.data.qpos[2] = 0.7 * self.robot.standing_height
        self.data.qpos[7:19] = np.clip(np.tile(Settings().folded, 4), low, high)
        self.data.qvel[:] = 0.0
        self.send(damping(Settings().damping_kd))
        self.advance(1.0)
        self.send(off())
        self.advance(0.5)

    @property
    def position(self) -> Array:
        return self.data.qpos[:3].copy()

    @property
    def tilt(self) -> float:
        """Angle between the body's vertical and the world's, rad."""
        _, x, y, _ = self.data.qpos[3:7]
        return float(np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0)))

    @property
    def heading(self) -> float:
        w, x, y, z = self.data.qpos[3:7]
        return float(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))

    def trunk_touches(self) -> bool:
        """Whether the trunk touches the ground right now."""
        return bool((self.data.contact.geom == self._trunk).any())


def with_ground(robot: Robot, friction: float) -> mujoco.MjSpec:
    """The robot on an endless floor; courses add to it."""
    spec = builder.build(robot, colliders="solid")
    floor = spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    floor.contype, floor.conaffinity = 1, 0
    for geom in spec.geoms:
        if geom.conaffinity:
            geom.friction[0] = friction
    return spec
