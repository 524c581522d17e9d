"""Robots in training, live in the browser."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor

from him.robots import Robot
from him.terrain import Terrain
from him.view.page import Page

PERIOD = 0.1
"""Seconds between two pictures."""

COUNT = 32
"""Robots shown."""


class LiveView:
    """Shows the first robots of a simulation. Between two pictures an update costs the reading of a clock."""

    def __init__(self, robot: Robot, terrain: Terrain, count: int = COUNT, port: int = 8080) -> None:
        self.count = count
        self.page = Page(f"him: {robot.title}", port=port)
        self.page.show(robot, terrain, count)
        self._due = 0.0

    def update(self, qpos: Tensor) -> None:
        """Show the first rows of an engine's positions (N, 19), if a picture is due and somebody looks."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + PERIOD
        if self.page.server.get_clients():
            self.page.update(qpos[: self.count].cpu().numpy())

    def close(self) -> None:
        self.page.close()


@contextmanager
def watch(task: Any, terrain: Terrain, port: int = 8080) -> Iterator[LiveView]:
    """Show what a task does, every time it is stepped."""
    view = LiveView(task.robot, terrain, min(COUNT, task.num_envs), port)
    step = task.step

    def shown(action: Tensor) -> Any:
        result = step(action)
        view.update(task.engine.qpos)
        return result

    task.step = shown
    try:
        yield view
    finally:
        del task.step
        view.close()
