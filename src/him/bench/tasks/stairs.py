"""Stairs, short and long."""

from dataclasses import dataclass

from him.bench.tasks.scene import OUT_OF_TIME, PASSED, Reach, Scene, Site, Task, hindmost_foot, time_limit
from him.bench.tasks.table import TABLE
from him.fake.robot import SimulatedRobot

STOPPED = "stopped climbing"

TOP = 3.0
"""Length of the landing above the long stairs: room to stand with all feet."""


def short(site: Site) -> Scene:
    """Five steps up, a landing, five steps down to the floor."""
    t = TABLE
    x = site.staircase(t.start_distance, 0.0, t.short_rise, t.short_tread, t.short_steps, t.short_landing)
    top = t.short_steps * t.short_rise
    x = site.staircase(x, top, -t.short_rise, t.short_tread, t.short_steps, t.beyond)
    return Scene(Reach(x, t.terrain_speed), t.terrain_speed)


def long(site: Site) -> Scene:
    """Steps that go on for 50 m."""
    t = TABLE
    site.staircase(t.start_distance, 0.0, t.long_rise, t.long_tread, t.long_steps, TOP)
    return Scene(Climb(), t.terrain_speed)


@dataclass
class Climb:
    """Climb on; a step counts when all four feet have passed its edge."""

    value: float = 0.0
    _since: float = 0.0

    def watch(self, robot: SimulatedRobot, walked: float) -> str | None:
        t = TABLE
        passed = int((hindmost_foot(robot) - t.start_distance) // t.long_tread) + 1
        if passed > self.value:
            self.value, self._since = float(min(passed, t.long_steps)), walked
        if self.value >= t.long_steps:
            return PASSED
        if walked - self._since > t.long_stall + (self.value == 0) * t.start_distance / t.terrain_speed:
            return STOPPED
        way = t.start_distance + t.long_steps * t.long_tread
        return OUT_OF_TIME if walked > time_limit(way, t.terrain_speed) else None


TASKS = (
    Task("short-stairs", "Short-range stairs", "a1", "success", short),
    Task("long-stairs", "Long-range stairs", "aliengo", "stairs", long),
)
