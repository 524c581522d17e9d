"""One trial: a scene, a robot behind its link, and the deployment controller in lock-step on simulated time."""

import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import mujoco
import numpy as np

from him import robots
from him.bench.tasks.scene import PASSED, Goal, Scene, Site, Task
from him.bench.tasks.table import TABLE
from him.deploy.clock import SimClock
from him.deploy.controller import Controller
from him.deploy.messages import State
from him.deploy.operator import Intent
from him.deploy.settings import Settings
from him.deploy.states import Mode, Request
from him.env.settings import Noise
from him.fake.robot import Sensors, SimulatedRobot, with_ground
from him.policy import Policy
from him.robots import Robot

FALLEN = "fell"
NOT_UP = "did not get up"
DIVERGED = "the physics diverged"

GETTING_UP = 10.0
"""Seconds that standing up may take; the controller needs two, and refuses where it sees a fault."""

PERIOD = 0.02
"""Seconds between two looks of the judge."""

Observer = Callable[[mujoco.MjData], None]
Dress = Callable[[mujoco.MjSpec, Robot], None]


@dataclass(frozen=True)
class Outcome:
    """How a trial went."""

    seed: int
    end: str
    value: float
    """What was counted, see `Goal`."""
    seconds: float
    """Walked."""
    friction: float

    @property
    def passed(self) -> bool:
        return self.end == PASSED

    def row(self) -> dict[str, Any]:
        return {name: round(v, 3) if isinstance(v, float) else v for name, v in asdict(self).items()}


@dataclass(frozen=True)
class Ready:
    """A trial set up: what to drive, and towards what."""

    robot: SimulatedRobot
    scene: Scene
    friction: float


def prepare(task: Task, seed: int, weight: float = 0.0, dress: Dress = lambda spec, robot: None) -> Ready:
    """Build the scene of a trial and put the robot at its start. Same seed, same trial.

    `dress` may add what people want to see and physics takes no notice of.
    """
    t, rng = TABLE, np.random.default_rng((seed, zlib.crc32(task.name.encode())))
    table = robots.load(task.robot)
    friction = float(rng.uniform(*t.friction))
    spec = with_ground(table, friction)
    spec.option.iterations = spec.option.ls_iterations = t.solver_iterations
    scene = task.build(Site(spec, table, rng, weight))
    dress(spec, table)
    robot = SimulatedRobot(table, spec, rng, Sensors(Noise(scale=t.noise), t.latency))
    shift, turn = rng.uniform(-1.0, 1.0, 2) * [t.start_x, t.start_y], rng.uniform(-1.0, 1.0) * t.start_yaw
    robot.data.qpos[:3] += [*shift, scene.height]
    robot.data.qpos[3:7] = np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)
    mujoco.mj_forward(robot.model, robot.data)
    return Ready(robot, scene, friction)


def attempt(policy: Policy, task: Task, seed: int, weight: float = 0.0, observe: Observer | None = None) -> Outcome:
    """Run one trial; `observe` is shown the world 50 times a second."""
    return drive(policy, prepare(task, seed, weight), seed, observe)


def drive(policy: Policy, ready: Ready, seed: int, observe: Observer | None = None) -> Outcome:
    """Let the controller walk until the trial is decided."""
    robot, goal = ready.robot, ready.scene.goal
    clock, pilot = SimClock(robot.advance), Pilot(robot, ready.scene.speed)
    clock.sleep_until(Settings().send_dt)
    controller = pilot.controller = Controller(policy, robot.robot, robot, clock, pilot, say=lambda text: None)
    judge, walked, end = Judge(robot, goal), 0.0, None
    while end is None:
        for _ in range(round(PERIOD / Settings().send_dt)):
            controller.step()
            clock.sleep_until(clock.now() + Settings().send_dt)
        walked += PERIOD if controller.mode == Mode.WALK else 0.0
        end = f"stopped: {controller.trip.fault.name.lower()}" if controller.trip else judge.look(walked)
        if end is None and clock.now() > walked + GETTING_UP:
            end = NOT_UP
        if observe is not None:
            observe(robot.data)
    return Outcome(seed, end, goal.value, walked, ready.friction)


class Judge:
    """Ends a trial that is decided."""

    def __init__(self, robot: SimulatedRobot, goal: Goal) -> None:
        self._robot, self._goal, self._down = robot, goal, 0.0
        geoms = [robot.model.geom(g) for g in range(robot.model.ngeom)]
        self._trunk = robot.model.geom("trunk").id
        self._load = next((geom.id for geom in geoms if geom.name == "load"), -1)

    def look(self, walked: float) -> str | None:
        """How the trial ended, None while that is open."""
        if any(self._robot.data.warning.number[w] for w in UNSOUND):
            return DIVERGED
        self._down = self._down + PERIOD if self._trunk_bears() else 0.0
        if self._down > TABLE.lying:
            return FALLEN
        return self._goal.watch(self._robot, walked) if walked else None

    def _trunk_bears(self) -> bool:
        """Whether the trunk touches anything but the load that hits it."""
        pairs = self._robot.data.contact.geom
        return bool(((pairs == self._trunk).any(axis=1) & (pairs != self._load).all(axis=1)).any())


UNSOUND = (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC)
"""Warnings after which MuJoCo starts the world anew."""


class Pilot:
    """An operator: stands the robot up, lets it walk, and keeps it on its line."""

    def __init__(self, robot: SimulatedRobot, speed: float) -> None:
        self._robot, self._speed = robot, speed
        self.controller: Controller | None = None

    def poll(self, state: State | None) -> Intent:
        mode = self.controller.mode if self.controller else Mode.PASSIVE
        request = {Mode.PASSIVE: Request.STAND, Mode.STAND: Request.WALK}.get(mode, Request.NONE)
        return Intent(np.array([self._speed, 0.0, self._turn() if self._speed else 0.0]), request)

    def close(self) -> None:
        """Nothing to let go of."""

    def _turn(self) -> float:
        wanted = -TABLE.steer_line * self._robot.data.qpos[1]
        return float(np.clip(TABLE.steer_heading * (wanted - self._robot.heading), -TABLE.steer_most, TABLE.steer_most))
