"""`him play`: watch a policy walk, in the browser or in a video."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from rich.console import Console
from rich.progress import Progress

from him import robots
from him.deploy.operator import open_operator
from him.errors import HimError
from him.policy import Policy
from him.robots import Robot
from him.view import gl
from him.view.play_course import Course, Driver, course

# everything that needs MuJoCo is imported where it is used: MuJoCo chooses its OpenGL library at its first import


@dataclass(frozen=True)
class Arguments:
    """Let a policy walk where and as you like: in the browser, or with --video in a file."""

    policy: Annotated[str, tyro.conf.Positional]
    """Name of a policy, or path of its ONNX file."""
    on: str | None = None
    """flat, slopes, rough, stairs, obstacles or tour; by default flat in the browser and the tour in a video."""
    level: int = 4
    """Difficulty of the terrain, 0 to 9."""
    speed: tuple[float, float, float] | None = None
    """Command to keep: forward m/s, left m/s, turn rad/s. Videos follow a route unless it is given."""
    video: Path | None = None
    """Write this .mp4 or .gif file instead of opening the browser."""
    seconds: float = 20.0
    """Length of the video."""
    size: tuple[int, int] = (1280, 720)
    """Width and height of the video."""
    fps: float | None = None
    """Pictures a second; by default 25, in a .gif 12.5."""
    robot: str | None = None
    """Robot by name or path; by default the policy's own."""
    drive: str | None = None
    """Who drives besides the page: keyboard or gamepad[:DEVICE]; by default the keyboard, where there is one."""
    port: int = 8080
    """Port of the page."""
    host: str = "localhost"
    """Address the page is served on; 0.0.0.0 lets other machines see it."""
    seed: int = 1
    """Same seed, same terrain."""


def main(argv: list[str]) -> int:
    a = tyro.cli(Arguments, prog="him play", args=argv)
    policy = Policy(a.policy, simulated=True)
    robot = robots.load(a.robot) if a.robot else robots.near(policy.contract.robot, policy.path)
    place = course(a.on or ("tour" if a.video else "flat"), a.level, a.seed)
    gl.choose()
    if a.video is not None:
        return _film(a, a.video, policy, robot, place)
    return _browse(a, policy, robot)


def _film(a: Arguments, path: Path, policy: Policy, robot: Robot, place: Course) -> int:
    from him.view import video
    from him.view.play_sim import Simulation

    fps = a.fps or (12.5 if path.suffix.lower() == ".gif" else 25.0)
    clip = video.Clip(path, a.seconds, video.Frame(*a.size), fps)
    simulation = Simulation(policy, place.terrain, place.start, robot)
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task(f"filming {robot.title}", total=round(clip.seconds * clip.fps))
        video.record(
            simulation,
            Driver(place.route, a.speed),
            clip,
            title=lambda state: f"{robot.title}: {place.part(state.qpos[0])}",
            progress=lambda: bar.advance(task),
        )
    print(f"wrote {path} ({path.stat().st_size / 1e6:.1f} MB)")
    return 0


def _browse(a: Arguments, policy: Policy, robot: Robot) -> int:
    from him.view.play import KEYS, Play, Where, play

    name = a.drive or ("keyboard" if sys.stdin.isatty() else "")
    if name.partition(":")[0] not in ("", "keyboard", "gamepad"):
        raise HimError(f"who drives is keyboard or gamepad[:DEVICE], not {name!r}")
    operator = open_operator(name, policy.contract.command_ranges) if name else None
    session = Play(policy, robot, Where(a.on or "flat", a.level, a.seed), operator, a.host, a.port)
    if a.speed is not None:
        session.command = np.array(a.speed)
    print(f"open {session.page.address} in a browser; Ctrl-C ends")
    if name == "keyboard":
        print(KEYS)
    play(session)
    return 0
