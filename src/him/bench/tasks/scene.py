"""What every task is made of: a site to build on, the scene that comes of it, and the goals a robot can have there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import mujoco
import numpy as np

from him.bench.tasks.table import TABLE
from him.fake.robot import SimulatedRobot
from him.robots import LEGS, Robot

PASSED = "passed"
OUT_OF_TIME = "out of time"

STONE, WOOD, CLOTH, IRON = (0.66, 0.64, 0.60), (0.72, 0.56, 0.38), (0.62, 0.70, 0.80), (0.30, 0.31, 0.33)
"""Colours of what is built."""

DEPTH = 0.5
"""How far solids reach below the surface they stand for, at least."""

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Site:
    """A floor with a robot on it, and what a task may draw on."""

    spec: mujoco.MjSpec
    robot: Robot
    rng: np.random.Generator
    """Of the trial: what is random about the scene comes from it."""
    weight: float = 0.0
    """In kg, for the tasks that ask for the largest one."""

    def box(self, x: tuple[float, float], top: float, width: float = TABLE.width, colour: Colour = STONE) -> None:
        """A solid from `x[0]` to `x[1]` whose upper face lies at `top`."""
        low = min(top, 0.0) - DEPTH
        self.solid(
            pos=[sum(x) / 2, 0.0, (top + low) / 2],
            size=[(x[1] - x[0]) / 2, width / 2, (top - low) / 2],
            colour=colour,
        )

    def solid(
        self,
        pos: np.typing.ArrayLike,
        size: np.typing.ArrayLike,
        quat: np.typing.ArrayLike = (1.0, 0.0, 0.0, 0.0),
        colour: Colour = STONE,
        name: str = "",
    ) -> mujoco.MjsGeom:
        """A fixed box that robots touch."""
        geom = self.spec.worldbody.add_geom(
            name=name, type=mujoco.mjtGeom.mjGEOM_BOX, pos=pos, size=size, quat=quat, rgba=[*colour, 1.0]
        )
        geom.contype, geom.conaffinity = 1, 0
        return geom

    def staircase(self, x: float, base: float, rise: float, tread: float, steps: int, last: float) -> float:
        """Steps from height `base`, downwards if `rise` is negative; the last is `last` long. Returns where it ends.

        The edge of the first step lies at `x`.
        """
        for i in range(1, steps + 1):
            end = x + (last if i == steps else tread)
            # a step at height zero is the floor itself
            if (top := base + i * rise) > 1e-6:
                self.box((x, end), top, colour=WOOD if i % 2 else STONE)
            x = end
        return x


class Goal(Protocol):
    """Judges a trial while it goes on."""

    value: float
    """What was reached so far, where the task counts something."""

    def watch(self, robot: SimulatedRobot, walked: float) -> str | None:
        """How the trial ended, None while that is open; asked 50 times a second, with the seconds walked."""


@dataclass
class Reach:
    """Get the trunk's centre beyond `x` before a slow walk would have taken it there."""

    x: float
    speed: float
    value: float = 0.0

    @property
    def seconds(self) -> float:
        return time_limit(self.x, self.speed)

    def watch(self, robot: SimulatedRobot, walked: float) -> str | None:
        if robot.data.qpos[0] > self.x:
            return PASSED
        return OUT_OF_TIME if walked > self.seconds else None


@dataclass(frozen=True)
class Scene:
    """A trial ready to begin."""

    goal: Goal
    speed: float
    """Commanded forward speed."""
    height: float = 0.0
    """Of the ground the robot starts on."""


@dataclass(frozen=True)
class Task:
    """One row of the paper's real-world table."""

    name: str
    title: str
    robot: str
    metric: str
    """A key of `METRICS`."""
    build: Callable[[Site], Scene]


METRICS = {"success": "success rate, %", "stairs": "number of stairs", "weight": "largest weight, kg"}
"""What is measured, in words."""


def time_limit(way: float, speed: float) -> float:
    """Seconds a walk may take."""
    return way / (TABLE.slowest * speed)


def hindmost_foot(robot: SimulatedRobot) -> float:
    """The least x of the four feet's centres."""
    return min(float(robot.data.geom(f"{leg}_foot").xpos[0]) for leg in LEGS)
