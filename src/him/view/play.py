"""Playing with a policy: the simulation in real time on a page, driven by sliders, keys or a gamepad."""

import contextlib
import threading
import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from him.deploy.operator import Operator
from him.deploy.states import Request
from him.policy import Policy
from him.robots import Robot
from him.terrain import LEVELS
from him.view.page import Page
from him.view.play_course import PLACES, Course, Driver, course
from him.view.play_sim import REST, Calm, Simulation, State

Array = NDArray[np.float64]

SHOW = 2
"""Control periods between two pictures: 25 a second."""

PUSH = 0.8
"""Speed a push gives the base, m/s."""

LATE = 0.2
"""A machine this many seconds behind is too slow for real time: the simulation then runs slower than life."""

KEYS = "w/s forward and back, q/e left and right, a/d turn, x stop, r start anew, ESC quit"


@dataclass(frozen=True)
class Where:
    """A place to play on."""

    place: str = "flat"
    level: int = 4
    seed: int = 1


class Play:
    """A simulation and its page."""

    def __init__(
        self,
        policy: Policy,
        robot: Robot,
        where: Where,
        operator: Operator | None = None,
        host: str = "localhost",
        port: int = 8080,
    ) -> None:
        self.policy, self.robot, self.where, self.operator = policy, robot, where, operator
        self.page = Page(f"him: {robot.title}", host, port)
        self.stopped = False
        self._wishes: list[str] = []
        self._lock = threading.Lock()
        self._heard = np.zeros(3)
        self._down = 0.0
        self._add_widgets()
        self._enter()

    @property
    def command(self) -> Array:
        """Forward, left and turn, as the sliders stand."""
        return np.array([slider.value for slider in self._sliders], dtype=np.float64)

    @command.setter
    def command(self, values: Array) -> None:
        slider: Any
        for slider, value in zip(self._sliders, values, strict=True):
            slider.value = float(np.clip(round(float(value), 2), slider.min, slider.max))

    def wish(self, what: str) -> None:
        """Ask for something to be done before the next step: from any thread."""
        with self._lock:
            self._wishes.append(what)

    def run(self) -> None:
        """In real time, until somebody stops it."""
        due = time.monotonic()
        while not self.stopped:
            self.tick()
            due = max(due + self.simulation.period, time.monotonic() - LATE)
            time.sleep(max(due - time.monotonic(), 0.0))

    def tick(self) -> State:
        """Follow what was asked for, then one control period."""
        self._listen()
        for what in self._take():
            getattr(self, f"_{what}")()
        command = self._driver.command(self.simulation.qpos) if self._follow.value else self.command
        state = self.simulation.step(command)
        calm = self._calm(state)
        self._down = self._down + self.simulation.period if state.fallen else 0.0
        if self._down > REST:
            self._restart()
        self._ticks += 1
        if self._ticks % SHOW == 0:
            self.page.update(self.simulation.qpos[None])
        if self._ticks % 10 == 0:
            self._text.content = _report(self._course, calm)
        return state

    def close(self) -> None:
        self.page.close()
        if self.operator is not None:
            self.operator.close()

    def _add_widgets(self) -> None:
        gui = self.page.server.gui
        with gui.add_folder("drive"):
            names = ("forward m/s", "left m/s", "turn rad/s")
            ranges = self.policy.contract.command_ranges
            self._sliders = [
                gui.add_slider(name, min=min(low, 0.0), max=max(high, 0.0), step=0.05, initial_value=0.0)
                for name, (low, high) in zip(names, ranges, strict=True)
            ]
            self._follow = gui.add_checkbox("follow the route", initial_value=False)
            for label, what in (("stop", "stop"), ("push", "push"), ("start anew", "restart")):
                gui.add_button(label).on_click(partial(self._click, what))
        with gui.add_folder("where"):
            self._place = gui.add_dropdown("place", PLACES, initial_value=self.where.place)
            self._level = gui.add_slider("level", min=0, max=LEVELS - 1, step=1, initial_value=self.where.level)
            for widget in (self._place, self._level):
                widget.on_update(partial(self._click, "enter"))
        self._text = gui.add_markdown("")

    def _click(self, what: str, _: object) -> None:
        self.wish(what)

    def _listen(self) -> None:
        """What the operator does moves the sliders, so that the last to touch them drives."""
        intent = self.operator.poll(None) if self.operator is not None else None
        if intent is None:
            return
        if not np.array_equal(intent.command, self._heard):
            self._heard = intent.command.copy()
            self.command = intent.command
        if intent.request == Request.RESTART:
            self.wish("restart")
        elif intent.request == Request.QUIT:
            self.stopped = True

    def _take(self) -> list[str]:
        with self._lock:
            taken, self._wishes = self._wishes, []
        return list(dict.fromkeys(taken))

    def _stop(self) -> None:
        follow: Any = self._follow
        follow.value = False
        self.command = np.zeros(3)

    def _push(self) -> None:
        angle = np.random.default_rng().uniform(-np.pi, np.pi)
        self.simulation.push([PUSH * np.cos(angle), PUSH * np.sin(angle), 0.0])

    def _enter(self) -> None:
        """Go to the place chosen on the page."""
        self._course: Course = course(self._place.value, int(self._level.value), self.where.seed)
        self.simulation = Simulation(self.policy, self._course.terrain, self._course.start, self.robot)
        self.page.show(self.robot, self._course.terrain)
        self._ticks = 0
        self._restart()

    def _restart(self) -> None:
        self.simulation.reset()
        self._driver = Driver(self._course.route)
        self._calm, self._down = Calm(self.simulation.period), 0.0


def play(session: Play) -> None:
    """Run a session until it is stopped from the terminal; the page is closed in any case."""
    with contextlib.closing(session), contextlib.suppress(KeyboardInterrupt):
        session.run()


def _report(course: Course, state: State) -> str:
    head = f"**{course.part(state.qpos[0])}**{' (fallen)' if state.fallen else ''}\n\n| | forward | left | turn |\n"
    rows = [("asked", state.command), ("walks", state.velocity)]
    if state.estimate is not None:
        rows.append(("feels", state.estimate[:2]))
    lines = [f"| {name} | " + " | ".join(f"{value + 0.0:+.2f}" for value in values) + " |" for name, values in rows]
    return head + "| --- | --- | --- | --- |\n" + "\n".join(lines)
