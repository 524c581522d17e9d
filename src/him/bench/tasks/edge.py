"""Walking off a platform."""

from him.bench.tasks.scene import Reach, Scene, Site, Task
from him.bench.tasks.table import TABLE

BACK = 1.5
"""How far the platform reaches behind the robot."""


def missing_step(site: Site) -> Scene:
    """An edge where a step was expected."""
    t = TABLE
    site.box((-BACK, t.start_distance), t.missing_height)
    return Scene(Reach(t.start_distance + t.missing_finish, t.missing_speed), t.missing_speed, t.missing_height)


TASKS = (Task("missing-step", "Missing step", "aliengo", "success", missing_step),)
