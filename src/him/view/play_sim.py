"""One robot walking by its policy in MuJoCo C, on our terrain and contacts: the physics it was trained in.

The nominal robot: no randomisation, no sensor noise, no delay. How it is shown is somebody else's business.
"""

from dataclasses import dataclass, replace

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from him import robots
from him.policy import History, Policy, frame, gravity_direction
from him.robots import Robot
from him.sim import material
from him.sim import model as builder
from him.sim.ground import collider_ids
from him.sim.native_contacts import world
from him.terrain import Terrain
from him.view.play_course import Start
from him.view.play_insight import Insight

Array = NDArray[np.float64]

UPRIGHT = 0.1
"""Cosine of the lean beyond which a robot counts as fallen even if its trunk touches nothing."""

GAP = 0.02
"""Air under the feet at the start, m."""

REST = 1.5
"""Seconds a fallen robot is left lying before it starts anew."""

WINDOW = 0.5
"""Seconds over which speeds are averaged for display."""


@dataclass(frozen=True)
class State:
    """What happened in a control period."""

    time: float
    """Seconds since the start or the last reset."""
    qpos: Array
    """Base position, quaternion and joint angles (19)."""
    command: Array
    """What was asked: forward m/s, left m/s, turn rad/s."""
    velocity: Array
    """What was done, in the body frame, in the same order."""
    estimate: Array | None
    """What the policy believes its velocity to be (forward, left, up), where it says so."""
    fallen: bool


class Calm:
    """Averages speeds for reading: as measured they jump with every footfall."""

    def __init__(self, period: float) -> None:
        self._share = period / WINDOW
        self._moved: Array | None = None
        self._felt: Array | None = None

    def __call__(self, state: State) -> State:
        self._moved = self._blend(self._moved, state.velocity)
        if state.estimate is not None:
            self._felt = self._blend(self._felt, state.estimate)
        return replace(state, velocity=self._moved, estimate=self._felt)

    def _blend(self, old: Array | None, new: Array) -> Array:
        return new if old is None else old + self._share * (new - old)


class Simulation:
    """Asks the policy every control period and lets physics run in between."""

    def __init__(self, policy: Policy, terrain: Terrain, start: Start, robot: Robot | None = None) -> None:
        self.policy, self.contract = policy, policy.contract
        self.robot = robot or robots.near(self.contract.robot, policy.path)
        self.terrain, self.start = terrain, start
        self._model = _model(self.robot, terrain, policy)
        self._data = mujoco.MjData(self._model)
        self._substeps = round(self.contract.control_dt / self._model.opt.timestep)
        self._pose = np.array(self.contract.default_joint_pos)
        self._trunk = {g for g in collider_ids(self._model) if self._model.geom(g).name.startswith("trunk")}
        self._history = History(self.contract.history_length, policy.width)
        self._insight = None if self.contract.deployable else Insight(self.robot, terrain)
        self.reset()

    @property
    def period(self) -> float:
        """Seconds a step."""
        return self.contract.control_dt

    @property
    def qpos(self) -> Array:
        return self._data.qpos.copy()

    def reset(self) -> None:
        """Back to the start, standing."""
        mujoco.mj_resetDataKeyframe(self._model, self._data, 0)
        x, y, yaw = self.start
        reach = np.linspace(-0.3, 0.3, 3)
        ground = float(self.terrain.height(x + reach[:, None], y + reach).max())
        self._data.qpos[:3] = x, y, ground + self.robot.standing_height + GAP
        self._data.qpos[3:7] = np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)
        self._data.qpos[7:] = self._pose
        self.action = np.zeros(len(self._pose))
        self._history.reset()

    def push(self, velocity: ArrayLike) -> None:
        """A jolt: the base suddenly moves faster by so many m/s (world frame)."""
        self._data.qvel[:3] += np.asarray(velocity, dtype=np.float64)

    def step(self, command: ArrayLike) -> State:
        """One control period under a command (forward m/s, left m/s, turn rad/s)."""
        asked, data = np.array(command, dtype=np.float64), self._data
        decision = self.policy.act(self._history.push(self._seen(asked)), data.time)
        self.action = decision.action.astype(np.float64)
        data.ctrl[: len(self._pose)] = self._pose + self.contract.action_scale * self.action
        mujoco.mj_step(self._model, data, self._substeps)
        moved = np.array([*_to_body(data.qpos[3:7], data.qvel[:3])[:2], data.qvel[5]])
        felt = None if decision.velocity is None else decision.velocity.astype(np.float64)
        return State(data.time, data.qpos.copy(), asked, moved, felt, self._fallen())

    def _seen(self, command: Array) -> NDArray[np.float32]:
        """The policy's frame, and what else it was trained to see."""
        newest, data = self._frame(command), self._data
        if self._insight is None:
            return newest
        return np.concatenate([newest, self._insight(data.qpos, _to_body(data.qpos[3:7], data.qvel[:3]))])

    def _frame(self, command: Array) -> NDArray[np.float32]:
        q, v = self._data.qpos, self._data.qvel
        gravity = gravity_direction(q[3:7])
        return frame(command, v[3:6], gravity, q[7:] - self._pose, v[6:], self.action, self.policy.scales)

    def _fallen(self) -> bool:
        if gravity_direction(self._data.qpos[3:7])[2] > -UPRIGHT:
            return True
        return bool(self._trunk.intersection(self._data.contact.geom.ravel().tolist()))


def _model(robot: Robot, terrain: Terrain, policy: Policy) -> mujoco.MjModel:
    model = world(builder.build(robot), terrain)
    spheres = collider_ids(model)
    model.geom_solimp[spheres] = material.SOLIMP
    model.geom_solref[spheres] = material.solref(0.0)
    builder.set_gains(model, np.array(policy.contract.kp), np.array(policy.contract.kd))
    limits = np.array(policy.contract.torque_limits)
    model.actuator_forcerange[: len(limits)] = np.stack([-limits, limits], axis=-1)
    return model


def _to_body(quaternion: Array, vector: Array) -> Array:
    turned, inverse = np.zeros(3), np.zeros(4)
    mujoco.mju_negQuat(inverse, quaternion)
    mujoco.mju_rotVecQuat(turned, vector, inverse)
    return turned
