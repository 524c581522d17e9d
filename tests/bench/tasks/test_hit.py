"""The load arrives where and as fast as it should, and its goal knows what happened."""

import numpy as np
import pytest

from him.bench.tasks import hit
from him.bench.tasks.hit import Withstand
from him.bench.tasks.scene import PASSED
from him.bench.tasks.table import TABLE
from him.bench.tasks.trial import Judge, Ready
from tests.bench.tasks.standing import ready, stand

SPEED = np.sqrt(2 * 9.81 * 1.07)


def _aimed(seed: int, weight: float = 8.0) -> tuple[Ready, Withstand]:
    trial = ready("lateral-hit", weight, seed)
    assert isinstance(trial.scene.goal, Withstand)
    stand(trial.robot, 0.5)
    return trial, trial.scene.goal


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_hits_the_middle_of_the_side_at_the_speed_of_its_fall(seed: int) -> None:
    trial, goal = _aimed(seed)
    robot, speeds = trial.robot, [0.0]
    load, trunk = robot.model.geom("load").id, robot.model.geom("trunk").id
    goal.release(robot)
    while load not in robot.data.contact.geom:
        robot.advance(0.002)
        speeds.append(TABLE.hit_rope * abs(robot.data.joint("pendulum").qvel[0]))
        assert len(speeds) < 1000
    contact = next(c for c in robot.data.contact if load in c.geom)
    assert set(contact.geom) == {load, trunk}
    assert speeds[-2] == pytest.approx(SPEED, rel=0.01)
    base = robot.data.body("base")
    at = base.xmat.reshape(3, 3).T @ (contact.pos - base.xpos)
    np.testing.assert_allclose(at, [0.0, goal.side * robot.robot.trunk.box[1] / 2, 0.0], atol=0.015)


def test_a_load_that_misses_keeps_its_energy_and_is_told() -> None:
    trial, goal = _aimed(0)
    robot = trial.robot
    assert goal.watch(robot, 0.5) is None
    assert goal.watch(robot, TABLE.hit_settle + 0.1) is None
    robot.data.qpos[0] += 5.0
    for _ in range(100):
        robot.advance(0.02)
        assert goal.watch(robot, 2.0) is None
    assert goal.watch(robot, TABLE.hit_settle + TABLE.hit_recovery + 0.1) == hit.MISSED


def test_who_stays_up_long_enough_has_withstood_it() -> None:
    trial, goal = _aimed(0, weight=0.5)
    robot, walked, end = trial.robot, TABLE.hit_settle, None
    judge = Judge(robot, goal)
    while end is None:
        robot.advance(0.02)
        walked += 0.02
        end = judge.look(walked)
    assert end == PASSED
    assert walked == pytest.approx(TABLE.hit_settle + 0.78 + TABLE.hit_recovery, abs=0.1)


def test_a_heavy_load_throws_it_over() -> None:
    trial, goal = _aimed(0, weight=20.0)
    goal.release(trial.robot)
    stand(trial.robot, 1.5)
    assert trial.robot.tilt > np.radians(60)


def test_before_it_is_let_go_it_hangs_still() -> None:
    trial, goal = _aimed(3)
    joint = trial.robot.data.joint("pendulum")
    assert joint.qpos[0] == pytest.approx(goal.side * hit.release_angle(), abs=1e-3)
    height = TABLE.hit_rope * (1 - np.cos(hit.release_angle()))
    assert height == pytest.approx(1.07)


def test_it_comes_from_both_sides() -> None:
    sides = {ready("lateral-hit", 1.0, seed).scene.goal.side for seed in range(8)}
    assert sides == {-1.0, 1.0}
