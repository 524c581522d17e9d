"""Robots are drawn alike on both sides, and a robot without a look of its own is drawn as well."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from him import robots
from him.sim import look, model

DONKEY = Path(__file__).parents[1] / "robots" / "donkey.toml"


def visible(built: mujoco.MjModel) -> np.ndarray:
    return np.flatnonzero(built.geom_group == look.GROUP)


@pytest.mark.parametrize("name", [*robots.names(), str(DONKEY)])
def test_left_and_right_mirror_each_other(name: str) -> None:
    robot = robots.load(name)
    built = model.build(robot, visuals=True).compile()
    data = mujoco.MjData(built)
    data.qpos[3], data.qpos[8::3], data.qpos[9::3] = 1, 0.8, -1.5
    mujoco.mj_kinematics(built, data)
    corners = []
    for geom in visible(built):
        turn = data.geom_xmat[geom].reshape(3, 3)
        extent = np.sqrt((turn**2) @ built.geom_size[geom] ** 2)
        corners.append([*data.geom_xpos[geom], *extent])
    places = np.array(corners)
    mirrored = places * [1, -1, 1, 1, 1, 1]
    for row in mirrored:
        assert np.abs(places - row).max(axis=1).min() < 1e-3


@pytest.mark.parametrize("name", [*robots.names(), str(DONKEY)])
def test_only_looks_are_visible_and_none_collides(name: str) -> None:
    built = model.build(robots.load(name), visuals=True).compile()
    shown = visible(built)
    assert len(shown) >= 17
    assert not built.geom_contype[shown].any()
    assert not built.geom_conaffinity[shown].any()
    assert set(built.geom_bodyid[shown]) == set(range(1, 14))


def test_the_four_robots_look_different() -> None:
    looks = [robots.load(name).look for name in robots.names()]
    shells = {tuple(each.colours["shell"]) for each in looks if each}
    assert len(shells) == 4
