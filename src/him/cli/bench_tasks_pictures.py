"""Pictures and videos of the eight tasks, drawn in processes of their own.

MuJoCo chooses its OpenGL library when it is first imported, and `him bench` has imported it long before.
"""

import contextlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

import mujoco
from numpy.typing import NDArray

from him.bench.tasks import trial
from him.bench.tasks.registry import TASKS
from him.bench.tasks.trial import Ready
from him.policy import Policy
from him.view import gl, scene
from him.view.play_stage import Frame
from him.view.scene import View
from him.view.video import Clip

FPS, FILM = 25.0, Frame(640, 360)
"""Of videos."""

STANDING, SHOWN = 1.5, 12.0
"""A video leaves out the first seconds, in which the robot stands up, and lasts this long at most."""

SHOWN_WEIGHT = 5.0
"""Of the load in pictures, kg."""


@dataclass(frozen=True)
class Shot:
    """How a task is shown."""

    view: View = field(default_factory=View)
    moment: float = 0.6
    """Share of the film after which the picture is taken."""


SHOTS = {
    "short-stairs": Shot(View(azimuth=70.0, distance=3.6)),
    "long-stairs": Shot(View(azimuth=60.0, elevation=-12.0, distance=4.5, lift=0.4)),
    "compositional": Shot(View(azimuth=75.0)),
    "deformable-slope": Shot(),
    "dragging": Shot(View(azimuth=110.0, distance=2.4)),
    "lateral-hit": Shot(View(azimuth=20.0, elevation=-6.0, distance=4.4, lift=0.6), 0.45),
    "payload": Shot(View(azimuth=110.0, distance=2.0)),
    "missing-step": Shot(View(azimuth=105.0, distance=3.0), 0.55),
}


class _Enough(Exception):
    """The film is long enough."""


def draw(tasks: Sequence[tuple[str, Path | None]], folder: Path, still: bool, video: bool, workers: int) -> list[Path]:
    """Draw tasks, each with the policy given; without one the robot stands at its start, and there is no video."""
    gl.choose()
    written: list[Path] = []
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        for paths in pool.map(shoot, *zip(*((*task, folder, still, video) for task in tasks), strict=True)):
            written += paths
        stills = [path for path in written if path.suffix == ".png"]
        if len(stills) > 1:
            scene.sheet(stills, folder / "tasks.png")
            written.append(folder / "tasks.png")
    return written


def shoot(name: str, policy: Path | None, folder: Path, still: bool, video: bool) -> list[Path]:
    """One task, in a process whose OpenGL library has been chosen; returns what was written."""
    task, shot = TASKS[name], SHOTS[name]
    ready = trial.prepare(task, 0, SHOWN_WEIGHT if task.metric == "weight" else 0.0, scene.dress)
    poses = _poses(ready, policy)
    model, title, written = ready.robot.model, f"{task.title} ({ready.robot.robot.title})", []
    if still:
        written.append(folder / f"{name}.png")
        scene.still(model, poses[int(shot.moment * (len(poses) - 1))], shot.view, title, written[-1])
    if video and policy is not None:
        clip = Clip(folder / f"{name}.mp4", SHOWN, FILM, FPS)
        scene.film(model, poses[_frames(STANDING) :: _frames(1 / FPS)], shot.view, title, clip)
        written.append(clip.path)
    return written


def _poses(ready: Ready, policy: Path | None) -> list[NDArray]:
    """The trial, 50 times a second; it need not be over."""
    poses = [ready.robot.data.qpos.copy()]

    def observe(data: mujoco.MjData) -> None:
        poses.append(data.qpos.copy())
        if len(poses) > _frames(STANDING + SHOWN):
            raise _Enough

    if policy is not None:
        with contextlib.suppress(_Enough):
            trial.drive(Policy(policy), ready, 0, observe)
    return poses


def _frames(seconds: float) -> int:
    return round(seconds / trial.PERIOD)
