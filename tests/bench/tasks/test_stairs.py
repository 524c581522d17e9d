"""Staircases have the paper's measures, and climbing is counted by the feet."""

import numpy as np
import pytest

from him.bench.tasks import stairs
from him.bench.tasks.scene import OUT_OF_TIME, PASSED, Reach
from him.bench.tasks.table import TABLE
from tests.bench.tasks.standing import heights, ready


def test_short_stairs_are_five_up_and_five_down() -> None:
    trial = ready("short-stairs")
    goal = trial.scene.goal
    assert isinstance(goal, Reach)
    xs = np.arange(0.0007, goal.x, 0.002)
    profile = np.array(heights(trial.robot, xs))
    jumps = np.diff(profile)
    up, down = np.flatnonzero(jumps > 0.01), np.flatnonzero(jumps < -0.01)
    np.testing.assert_allclose(jumps[up], [0.16] * 5, atol=1e-6)
    np.testing.assert_allclose(jumps[down], [-0.16] * 5, atol=1e-6)
    np.testing.assert_allclose(np.diff(xs[up]), [0.27] * 4, atol=0.003)
    np.testing.assert_allclose(np.diff(xs[down]), [0.27] * 4, atol=0.003)
    assert xs[up[0]] == pytest.approx(TABLE.start_distance, abs=0.003)
    assert (profile[0], profile[-1]) == (pytest.approx(0.0), pytest.approx(0.0))


def test_long_stairs_are_two_hundred() -> None:
    treads = TABLE.start_distance + 0.25 * (np.arange(200) + 0.5)
    np.testing.assert_allclose(heights(ready("long-stairs").robot, treads), 0.17 * np.arange(1, 201), atol=1e-6)


def test_a_step_counts_when_all_feet_have_passed_its_edge() -> None:
    trial = ready("long-stairs")
    goal, robot = trial.scene.goal, trial.robot
    feet = robot.data.geom_xpos[[robot.model.geom(f"{leg}_foot").id for leg in ("FL", "FR", "RL", "RR")]]
    robot.data.geom_xpos[:, 0] += TABLE.start_distance + 2 * 0.25 - feet[:, 0].min() - 0.001
    assert goal.watch(robot, 1.0) is None
    assert goal.value == 2.0
    robot.data.geom_xpos[:, 0] += 0.002
    goal.watch(robot, 1.1)
    assert goal.value == 3.0
    robot.data.geom_xpos[:, 0] -= 1.0
    assert goal.watch(robot, 1.1 + 0.9 * TABLE.long_stall) is None
    assert goal.value == 3.0
    assert goal.watch(robot, 1.2 + TABLE.long_stall) == stairs.STOPPED
    robot.data.geom_xpos[:, 0] += 51.0
    assert goal.watch(robot, 60.0) == PASSED
    assert goal.value == 200.0


def test_walks_that_are_too_slow_run_out_of_time() -> None:
    trial = ready("short-stairs")
    goal = trial.scene.goal
    assert isinstance(goal, Reach)
    assert goal.seconds == pytest.approx(goal.x / (0.4 * 0.6))
    assert goal.watch(trial.robot, goal.seconds - 0.1) is None
    assert goal.watch(trial.robot, goal.seconds + 0.1) == OUT_OF_TIME
    trial.robot.data.qpos[0] = goal.x + 0.01
    assert goal.watch(trial.robot, goal.seconds - 0.1) == PASSED
