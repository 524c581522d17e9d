"""Scenes are dressed without a change to their physics, and drawn."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from PIL import Image

from him import robots
from him.cli import probes
from him.robots import Robot
from him.sim import model as builder
from him.view import scene
from him.view.scene import View
from him.view.video import Clip


def _model(dressed: bool) -> tuple[mujoco.MjModel, Robot]:
    robot = robots.load("a1")
    spec = builder.build(robot, colliders="solid")
    floor = spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    floor.contype, floor.conaffinity = 1, 0
    if dressed:
        scene.dress(spec, robot)
    return spec.compile(), robot


def test_what_people_see_physics_does_not_notice() -> None:
    ends = []
    for dressed in (False, True):
        model, _ = _model(dressed)
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        mujoco.mj_step(model, data, 100)
        ends.append(data.qpos.copy())
    np.testing.assert_array_equal(*ends)


def test_pictures_and_videos_show_the_robot(tmp_path: Path) -> None:
    if not probes.attempt("rendering").works:
        pytest.skip("this machine cannot render; `him doctor` says what to install")
    model, robot = _model(True)
    qpos = model.key_qpos[0]
    scene.still(model, qpos, View(), robot.title, tmp_path / "deep" / "a1.png")
    picture = np.asarray(Image.open(tmp_path / "deep" / "a1.png").convert("L"))
    assert picture.shape == (scene.FRAME.height, scene.FRAME.width)
    middle = picture[picture.shape[0] // 3 : -picture.shape[0] // 3, picture.shape[1] // 3 : -picture.shape[1] // 3]
    assert (middle < 60).mean() > 0.01
    scene.sheet([tmp_path / "deep" / "a1.png"] * 3, tmp_path / "sheet.png")
    assert Image.open(tmp_path / "sheet.png").size == (scene.FRAME.width, scene.FRAME.height)
    clip = Clip(tmp_path / "a1.mp4", 1.0, scene.FRAME)
    scene.film(model, [qpos, qpos], View(), robot.title, clip)
    assert clip.path.stat().st_size > 1000
