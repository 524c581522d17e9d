"""Short courses of boxes and ramps in plain MuJoCo C, walked by the controller: does a policy transfer?

Passed is who gets beyond the end within the time without the trunk touching anything.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from rich.progress import Progress

from him import robots
from him.deploy.clock import SimClock
from him.deploy.controller import Controller
from him.deploy.messages import State
from him.deploy.operator import Intent
from him.deploy.settings import Settings
from him.deploy.states import Mode, Request
from him.fake.robot import SimulatedRobot, with_ground
from him.policy import Policy

SPEED = 0.6
"""Commanded forward speed in m/s."""

SECONDS = 25.0
"""Time allowed from the first step of the policy."""

WIDTH = 3.0
"""Of every course, in metres."""

START = 1.0
"""Distance from the robot to the first obstacle in metres."""

HEADING_GAIN, MAX_TURN = 1.0, 1.0
"""Proportional controller on the heading: rad/s per rad, and at most."""


@dataclass(frozen=True)
class Course:
    """What is built in front of the robot, and where it ends."""

    name: str
    build: Callable[[mujoco.MjSpec], float]
    """Adds geometry and returns the x that has to be passed."""
    start_height: float = 0.0
    """Height of the ground the robot starts on."""


def stairs(height: float, tread: float, steps: int = 5) -> Course:
    """Up `steps` steps, over a landing of 1 m, and down again."""

    def build(spec: mujoco.MjSpec) -> float:
        x = START
        for i in range(1, steps + 1):
            top = 1.0 if i == steps else tread
            _box(spec, x, x + top, i * height)
            x += top
        for i in range(steps - 1, 0, -1):
            _box(spec, x, x + tread, i * height)
            x += tread
        return x + 0.5

    return Course(f"stairs {100 * height:.0f} x {100 * tread:.0f} cm", build)


def slope(degrees: float, length: float = 3.0) -> Course:
    """Up a ramp and onto its landing."""

    def build(spec: mujoco.MjSpec) -> float:
        angle = np.radians(degrees)
        run, rise, thick = length * np.cos(angle), length * np.sin(angle), 0.1
        centre = np.array([START + run / 2, 0.0, rise / 2]) - thick * np.array([-np.sin(angle), 0, np.cos(angle)])
        ramp = spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=centre,
            size=[length / 2, WIDTH / 2, thick],
            quat=[np.cos(angle / 2), 0, -np.sin(angle / 2), 0],
        )
        ramp.contype, ramp.conaffinity = 1, 0
        _box(spec, START + run - 0.02, START + run + 3.0, rise)
        return START + run + 0.5

    return Course(f"slope {degrees:.0f} degrees", build)


def drop(height: float) -> Course:
    """Off the edge of a platform."""

    def build(spec: mujoco.MjSpec) -> float:
        _box(spec, -1.5, START, height)
        return START + 1.0

    return Course(f"drop {100 * height:.0f} cm", build, start_height=height)


def suite(robot: str) -> list[Course]:
    """The courses a policy has to pass: harder for the robots with stronger legs."""
    steps = (0.16, 0.27) if robot in ("aliengo", "a1") else (0.12, 0.30)
    incline, edge = (25.0, 0.25) if robot == "aliengo" else (20.0, 0.15)
    return [stairs(*steps), slope(incline), drop(edge)]


def _box(spec: mujoco.MjSpec, x0: float, x1: float, height: float) -> None:
    box = spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=[(x0 + x1) / 2, 0.0, height / 2],
        size=[(x1 - x0) / 2, WIDTH / 2, height / 2],
    )
    box.contype, box.conaffinity = 1, 0


class Pilot:
    """Stands the robot up, lets it walk, and keeps it on its heading."""

    def __init__(self, robot: SimulatedRobot) -> None:
        self._robot = robot
        self.controller: Controller | None = None

    def poll(self, state: State | None) -> Intent:
        mode = self.controller.mode if self.controller else Mode.PASSIVE
        request = {Mode.PASSIVE: Request.STAND, Mode.STAND: Request.WALK}.get(mode, Request.NONE)
        turn = float(np.clip(-HEADING_GAIN * self._robot.heading, -MAX_TURN, MAX_TURN))
        return Intent(np.array([SPEED, 0.0, turn]), request)

    def close(self) -> None:
        """Nothing to let go of."""


def attempt(policy: Policy, course: Course, seed: int) -> dict[str, Any]:
    """One trial; trials differ in start, friction and noise."""
    rng = np.random.default_rng((seed, 0xC0))
    table = robots.near(policy.contract.robot, policy.path)
    friction = float(rng.uniform(0.5, 1.0))
    spec = with_ground(table, friction)
    end = course.build(spec)
    robot = SimulatedRobot(table, spec, rng)
    robot.data.qpos[:3] += [rng.uniform(-0.2, 0.0), rng.uniform(-0.3, 0.3), course.start_height + 0.01]
    yaw = rng.uniform(-0.2, 0.2)
    robot.data.qpos[3:7] = np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)
    robot.advance(0.02)
    pilot = Pilot(robot)
    clock = SimClock(robot.advance)
    pilot.controller = Controller(policy, table, robot, clock, pilot, say=lambda text: None)
    why = _walk(pilot.controller, clock, robot, end)
    return {"course": course.name, "seed": seed, "friction": round(friction, 3), "passed": why == "passed", "end": why}


def _walk(controller: Controller, clock: SimClock, robot: SimulatedRobot, end: float) -> str:
    walking, period = 0.0, Settings().send_dt
    while walking < SECONDS:
        controller.step()
        clock.sleep_until(clock.now() + period)
        if controller.trip is not None:
            return f"stopped: {controller.trip.reason}"
        if controller.mode == Mode.WALK:
            walking += period
            if robot.trunk_touches():
                return "trunk touched"
            if robot.position[0] > end:
                return "passed"
    return "out of time"


def measure(name: str, trials: int = 20) -> dict[str, Any]:
    """How many of the trials passed on each course of the robot's suite, and how the others ended."""
    policy = Policy(name)
    courses = suite(policy.contract.robot)
    table: dict[str, Any] = {}
    with Progress(transient=True) as progress:
        task = progress.add_task("walking", total=len(courses) * trials)
        for course in courses:
            results = []
            for seed in range(trials):
                results.append(attempt(policy, course, seed))
                progress.advance(task)
            passed = sum(result["passed"] for result in results)
            ends = Counter(result["end"] for result in results if not result["passed"])
            table[course.name] = {"passed": passed} | dict(ends)
    return table
