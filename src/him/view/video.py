"""A policy's walk as a video or an animated picture, rendered without a screen."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import imageio_ffmpeg
import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from him.errors import HimError
from him.view.play_camera import Camera
from him.view.play_course import Driver
from him.view.play_sim import REST, Calm, Simulation, State
from him.view.play_stage import Frame, stage

Pixels = NDArray[np.uint8]
Title = Callable[[State], str]

MP4 = ["-crf", "25", "-maxrate", "1000k", "-bufsize", "2000k", "-preset", "slow", "-movflags", "+faststart"]
"""Bounded at 2.5 MB for 20 s."""

GIF = ["-filter_complex", "split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=none:diff_mode=rectangle"]


@dataclass(frozen=True)
class Clip:
    """What to record."""

    path: Path
    """Ends in .mp4 or .gif."""
    seconds: float = 20.0
    frame: Frame = field(default_factory=lambda: Frame(1280, 720))
    fps: float = 25.0

    def __post_init__(self) -> None:
        if self.path.suffix.lower() not in (".mp4", ".gif"):
            raise HimError(f"videos end in .mp4 or .gif; {self.path.name} does not")
        if min(self.frame.width, self.frame.height) < 16 or self.frame.width % 2 or self.frame.height % 2:
            raise HimError(f"width and height of a video are even numbers, 16 or more, not {self.frame}")
        if not self.seconds > 0 or not self.fps > 0:
            raise HimError("a video needs a length and a frame rate above 0")


def record(simulation: Simulation, driver: Driver, clip: Clip, title: Title, progress: Callable[[], None]) -> None:
    """Simulate and write the video; `progress` is called after every frame."""
    try:
        clip.path.parent.mkdir(parents=True, exist_ok=True)
        writer = open_writer(clip)
        for picture in frames(simulation, driver, clip, title):
            writer.send(np.ascontiguousarray(picture))
            progress()
        writer.close()
    except OSError as error:
        raise HimError(f"cannot write the video {clip.path}: {error}") from None


def frames(simulation: Simulation, driver: Driver, clip: Clip, title: Title) -> Iterator[Pixels]:
    """The pictures of a video, one after the other."""
    steps = max(round(1 / clip.fps / simulation.period), 1)
    model = stage(simulation.robot, simulation.terrain, clip.frame)
    data = mujoco.MjData(model)
    camera = Camera(simulation.terrain, simulation.robot.standing_height, steps * simulation.period)
    with open_renderer(model, clip.frame) as renderer:
        for state in _walk(simulation, driver, steps, max(round(clip.seconds * clip.fps), 1)):
            pose(model, data, state.qpos)
            renderer.update_scene(data, camera.look(state.qpos))
            yield caption(renderer.render(), title(state), state)


def open_renderer(model: mujoco.MjModel, frame: Frame) -> mujoco.Renderer:
    """OpenGL libraries raise whatever they like if they fail."""
    try:
        return mujoco.Renderer(model, frame.height, frame.width)
    except Exception as error:
        raise HimError(f"this machine cannot render ({error}); `him doctor` says what to install") from None


def pose(model: mujoco.MjModel, data: mujoco.MjData, qpos: NDArray[np.floating]) -> None:
    """Put a model's bodies and the lamp that follows them where joint positions say."""
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_camlight(model, data)


def _walk(simulation: Simulation, driver: Driver, steps: int, count: int) -> Iterator[State]:
    """The states to show; who has fallen starts anew after a rest."""
    calm, down = Calm(simulation.period), 0.0
    for _ in range(count):
        for _ in range(steps):
            state = simulation.step(driver.command(simulation.qpos))
            shown = calm(state)
            down = down + simulation.period if state.fallen else 0.0
        yield shown
        if down > REST:
            simulation.reset()
            driver.reset()
            calm, down = Calm(simulation.period), 0.0


def caption(picture: Pixels, title: str, state: State) -> Pixels:
    """The place, the command, what is made of it, and what the policy believes it does."""
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image, "RGBA")
    unit = image.height / 40
    large, small = ImageFont.load_default(max(1.5 * unit, 6)), ImageFont.load_default(max(1.05 * unit, 6))
    rows = [("asked", state.command), ("walks", state.velocity)]
    if state.estimate is not None:
        rows.append(("feels", np.array([*state.estimate[:2]])))
    columns = [6.0 * unit + 7.0 * unit * column for column in range(3)]
    bottom = (5.6 + 1.5 * len(rows)) * unit
    draw.rounded_rectangle((unit, unit, 26.5 * unit, bottom), unit / 2, fill=(20, 26, 34, 150))
    draw.text((1.9 * unit, 1.4 * unit), title, fill=(255, 255, 255), font=large)
    for x, head in zip(columns, ("forward m/s", "left m/s", "turn rad/s"), strict=True):
        draw.text((x, 3.6 * unit), head, fill=(170, 182, 196), font=small)
    for row, (name, values) in enumerate(rows):
        y = (5.1 + 1.5 * row) * unit
        draw.text((1.9 * unit, y), name, fill=(170, 182, 196), font=small)
        for x, value in zip(columns, values, strict=False):
            draw.text((x, y), f"{value + 0.0:+.2f}", fill=(255, 255, 255), font=small)
    return np.asarray(image)


def open_writer(clip: Clip) -> Any:
    gif = clip.path.suffix.lower() == ".gif"
    writer = imageio_ffmpeg.write_frames(
        str(clip.path),
        (clip.frame.width, clip.frame.height),
        fps=clip.fps,
        codec="gif" if gif else "libx264",
        pix_fmt_out="pal8" if gif else "yuv420p",
        macro_block_size=1,
        quality=None,
        output_params=GIF if gif else MP4,
    )
    writer.send(None)
    return writer
