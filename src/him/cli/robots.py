"""`him robots`: the robots there are, as a table or as a picture."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from numpy.typing import ArrayLike
from rich.console import Console
from rich.table import Table

from him import robots
from him.robots import Robot
from him.view import gl


@dataclass(frozen=True)
class Arguments:
    """List robots; a robot's own table is checked on the way, and what is wrong with it is said."""

    which: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """Names, or paths of one's own .toml files; all that come with the project when left out."""
    picture: Path | None = None
    """Draw them into this .png file."""


def main(argv: list[str]) -> int:
    arguments = tyro.cli(Arguments, prog="him robots", args=argv)
    found = [robots.load(name) for name in arguments.which or robots.names()]
    Console().print(_table(found))
    if arguments.picture is not None:
        _draw(found, arguments.picture)
    return 0


def _table(found: list[Robot]) -> Table:
    table = Table(caption="torques and gains of hip/thigh/calf, or one number for all three")
    table.add_column("name", no_wrap=True)
    for heading in ("mass\nkg", "stands\nm", "torque\nN m", "walking\nkp, kd", "standing\nkp, kd"):
        table.add_column(heading, justify="right", no_wrap=True)
    for robot in found:
        sizes = (f"{robot.mass:.2f}", f"{robot.standing_height:.3f}", _leg(robot.torque_limits))
        walking = f"{_leg(robot.kp)}, {_leg(robot.kd)}"
        standing = f"{_leg(robot.stand_kp)}, {_leg(robot.stand_kd)}"
        table.add_row(robot.name, *sizes, walking, standing)
    return table


def _leg(values: ArrayLike) -> str:
    leg = np.asarray(values)[:3]
    return f"{leg[0]:g}" if np.all(leg == leg[0]) else "/".join(f"{value:g}" for value in leg)


def _draw(found: list[Robot], path: Path) -> None:
    gl.choose()
    from him.view import picture  # needs MuJoCo, which the base install does without

    picture.save(picture.gallery(found), path)
    print(f"wrote {path}")
