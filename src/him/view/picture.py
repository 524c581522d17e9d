"""Still pictures of robots, rendered without a screen."""

import math
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from him.errors import HimError
from him.robots import Robot
from him.sim import model

Pixels = NDArray[np.uint8]

WIDTH, HEIGHT = 640, 460
"""Pixels of one robot's picture."""

SMOOTH = 2
"""Rendered this many times larger and averaged down, for clean edges."""


def gallery(robots: list[Robot]) -> Image.Image:
    """All robots in one picture, to the same scale, each with its name, mass and standing height."""
    columns = math.ceil(math.sqrt(len(robots)))
    rows = math.ceil(len(robots) / columns)
    sheet = Image.new("RGB", (columns * WIDTH, rows * HEIGHT), "white")
    for i, robot in enumerate(robots):
        tile = Image.fromarray(portrait(robot)).resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
        _label(tile, robot)
        sheet.paste(tile, (i % columns * WIDTH, i // columns * HEIGHT))
    return sheet


def save(picture: Image.Image, path: Path) -> None:
    """Write a small file: 256 colours are plenty for robots on a plain floor."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    except (OSError, ValueError) as error:
        raise HimError(f"cannot write the picture {path}: {error}; give a file that ends in .png") from None


def portrait(robot: Robot) -> Pixels:
    """One robot in its default pose on a chequered floor, seen from the front left."""
    spec = model.build(robot, visuals=True)
    _add_studio(spec)
    compiled = spec.compile()
    data = mujoco.MjData(compiled)
    mujoco.mj_resetDataKeyframe(compiled, data, 0)
    mujoco.mj_forward(compiled, data)
    camera = mujoco.MjvCamera()
    camera.lookat = [0.02, 0.0, 0.21]
    camera.distance, camera.azimuth, camera.elevation = 1.3, 222.0, -16.0
    return render(compiled, data, camera)


def render(compiled: mujoco.MjModel, data: mujoco.MjData, camera: mujoco.MjvCamera) -> Pixels:
    """What the camera sees of the visual geometry. OpenGL libraries raise whatever they like if they fail."""
    try:
        renderer = mujoco.Renderer(compiled, HEIGHT * SMOOTH, WIDTH * SMOOTH)
    except Exception as error:
        raise HimError(f"this machine cannot render ({error}); `him doctor` says what to install") from None
    with renderer:
        options = mujoco.MjvOption()
        options.geomgroup[:] = [1, 1, 1, 0, 0, 0]
        renderer.update_scene(data, camera, options)
        return renderer.render()


def _add_studio(spec: mujoco.MjSpec) -> None:
    """A floor, a sky and two lamps."""
    spec.visual.global_.offwidth = WIDTH * SMOOTH
    spec.visual.global_.offheight = HEIGHT * SMOOTH
    spec.visual.global_.fovy = 35
    spec.visual.quality.shadowsize = 4096
    spec.visual.quality.offsamples = 8
    spec.visual.headlight.ambient = [0.34, 0.34, 0.35]
    spec.visual.headlight.diffuse = [0.32, 0.32, 0.32]
    spec.visual.headlight.specular = [0.2, 0.2, 0.2]
    spec.visual.rgba.haze = [0.90, 0.92, 0.95, 1]
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.97, 0.98, 1.0],
        rgb2=[0.78, 0.83, 0.90],
        width=256,
        height=256,
    )
    spec.add_texture(
        name="floor",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=[0.70, 0.73, 0.77],
        rgb2=[0.78, 0.81, 0.84],
        width=512,
        height=512,
    )
    floor = spec.add_material(name="floor", texrepeat=[2.5, 2.5], texuniform=True)
    floor.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "floor"
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.05], material="floor")
    directional = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    spec.worldbody.add_light(type=directional, pos=[1.5, 1.5, 3], dir=[-0.35, -0.45, -1], diffuse=[0.5] * 3)
    spec.worldbody.add_light(type=directional, pos=[2, -2, 2], dir=[-1, 0.8, -0.6], diffuse=[0.2] * 3, castshadow=False)


def _label(tile: Image.Image, robot: Robot) -> None:
    draw = ImageDraw.Draw(tile)
    draw.text((18, 12), robot.title, fill=(30, 34, 40), font=ImageFont.load_default(28))
    caption = f"{robot.mass:.1f} kg, stands {100 * robot.standing_height:.0f} cm high"
    draw.text((18, 48), caption, fill=(80, 86, 94), font=ImageFont.load_default(17))
