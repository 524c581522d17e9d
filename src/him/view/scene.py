"""Pictures and videos of a robot among whatever a MuJoCo model holds beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from him.robots import Robot
from him.sim import look
from him.view import paint
from him.view.play_stage import Frame, light
from him.view.video import Clip, open_renderer, open_writer, pose

Pixels = NDArray[np.uint8]
Poses = Sequence[NDArray[np.floating]]

FRAME = Frame(960, 540)

FOLLOW = 0.15
"""Share of the way to the robot that the camera makes between two pictures."""


@dataclass(frozen=True)
class View:
    """Where one looks from: degrees about the vertical and downwards, metres away."""

    azimuth: float = 60.0
    elevation: float = -18.0
    distance: float = 3.2
    lift: float = 0.0
    """How far above the robot the view is centred."""


def dress(spec: mujoco.MjSpec, robot: Robot) -> None:
    """Give a scene sky, sun, a chequered floor and a robot that looks like one; nothing that physics notices."""
    look.add(spec, robot)
    light(spec)
    # the border of the shadow map shows as specks on an endless floor: keep it far away
    spec.visual.map.shadowclip, spec.visual.quality.shadowsize = 2.0, 4096
    spec.visual.global_.offwidth, spec.visual.global_.offheight = FRAME.width, FRAME.height
    texture = spec.add_texture(
        name="checks", type=mujoco.mjtTexture.mjTEXTURE_2D, width=paint.PIXELS, height=paint.PIXELS, nchannel=3
    )
    texture.data = paint.checks().tobytes()
    material = spec.add_material(name="floor", rgba=[*paint.ZERO, 1.0], texrepeat=[1.0, 1.0], texuniform=True)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "checks"
    spec.geom("floor").material = "floor"


def still(model: mujoco.MjModel, qpos: NDArray[np.floating], view: View, title: str, path: Path) -> None:
    """One picture as a .png file."""
    data = mujoco.MjData(model)
    with open_renderer(model, FRAME) as renderer:
        picture = _shoot(renderer, model, data, qpos, _centre(qpos, view), view)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(_label(picture, title)).quantize(192, dither=Image.Dither.NONE).save(path, optimize=True)


def sheet(pictures: Sequence[Path], path: Path) -> None:
    """Several pictures side by side, two in a row, at half their size."""
    width, height = FRAME.width // 2, FRAME.height // 2
    page = Image.new("RGB", (2 * width, (len(pictures) + 1) // 2 * height), "white")
    for i, name in enumerate(pictures):
        tile = Image.open(name).convert("RGB").resize((width, height), Image.Resampling.LANCZOS)
        page.paste(tile, (i % 2 * width, i // 2 * height))
    page.quantize(192, dither=Image.Dither.NONE).save(path, optimize=True)


def film(model: mujoco.MjModel, poses: Poses, view: View, title: str, clip: Clip) -> None:
    """A video whose pictures show the poses one after the other."""
    clip.path.parent.mkdir(parents=True, exist_ok=True)
    writer = open_writer(clip)
    data, at = mujoco.MjData(model), _centre(poses[0], view)
    with open_renderer(model, clip.frame) as renderer:
        for qpos in poses:
            at = at + FOLLOW * (_centre(qpos, view) - at)
            picture = _shoot(renderer, model, data, qpos, at, view)
            writer.send(np.ascontiguousarray(_label(picture, title)))
    writer.close()


def _centre(qpos: NDArray[np.floating], view: View) -> NDArray[np.floating]:
    return qpos[:3] + np.array([0.0, 0.0, view.lift])


def _shoot(
    renderer: mujoco.Renderer,
    model: mujoco.MjModel,
    data: mujoco.MjData,
    qpos: NDArray[np.floating],
    at: NDArray[np.floating],
    view: View,
) -> Pixels:
    pose(model, data, qpos)
    mujoco.mj_tendon(model, data)
    camera = mujoco.MjvCamera()
    camera.lookat, camera.distance, camera.azimuth, camera.elevation = at, view.distance, view.azimuth, view.elevation
    renderer.update_scene(data, camera)
    return renderer.render()


def _label(picture: Pixels, title: str) -> Pixels:
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image, "RGBA")
    font = ImageFont.load_default(image.height / 22)
    left, top, right, bottom = draw.textbbox((20, 16), title, font=font)
    draw.rounded_rectangle((left - 8, top - 8, right + 8, bottom + 8), 6, fill=(20, 26, 34, 150))
    draw.text((20, 16), title, fill=(255, 255, 255), font=font)
    return np.asarray(image)
