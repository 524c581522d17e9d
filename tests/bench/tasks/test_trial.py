"""Trials end as they should, repeat exactly, and differ where they should."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from him import robots
from him.bench.tasks import trial
from him.bench.tasks.crew import Crew
from him.bench.tasks.registry import TASKS
from him.bench.tasks.scene import OUT_OF_TIME, PASSED, Reach
from him.bench.tasks.table import TABLE, Table
from him.bench.tasks.trial import DIVERGED, FALLEN, NOT_UP, Judge, Pilot
from him.policy import Policy
from him.policy.find import names
from tests.bench.tasks.standing import ready, stand
from tests.policy import random_policy


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy for A1 that holds the default pose."""
    return random_policy.save(
        tmp_path_factory.mktemp("policy") / "a1.onnx", random_policy.contract(robot="a1"), gain=0.0
    )


def test_trials_differ_by_seed_and_repeat_with_it() -> None:
    one, same, other = (ready("payload", 3.0, seed) for seed in (4, 4, 5))
    assert (one.robot.data.qpos == same.robot.data.qpos).all()
    assert one.friction == same.friction
    assert one.friction != other.friction
    assert (one.robot.position[:2] != other.robot.position[:2]).all()
    assert one.robot.heading != other.robot.heading
    for each in (one, same):
        stand(each.robot, 0.1)
    assert (one.robot.receive().joint_pos == same.robot.receive().joint_pos).all()


@pytest.mark.parametrize("name", TASKS)
def test_starts_are_within_the_table(name: str) -> None:
    for seed in range(2):
        begun = ready(name, 2.0, seed)
        x, y, z = begun.robot.position
        assert abs(x) <= TABLE.start_x
        assert abs(y) <= TABLE.start_y
        assert abs(begun.robot.heading) <= TABLE.start_yaw + 1e-9
        assert z == pytest.approx(begun.robot.robot.standing_height + begun.scene.height)
        assert TABLE.friction[0] <= begun.friction <= TABLE.friction[1]
        assert begun.robot.model.geom("RL_foot").friction[0] == begun.friction


def test_a_trunk_that_lies_has_fallen_and_one_that_brushes_has_not() -> None:
    begun = ready("payload", 1.0)
    judge = Judge(begun.robot, begun.scene.goal)
    begun.robot.data.qpos[2] = 0.03
    begun.robot.data.qpos[7:19] = robots.load("a1").default_joint_pos * 0.0
    mujoco.mj_forward(begun.robot.model, begun.robot.data)
    looks = round(TABLE.lying / trial.PERIOD)
    assert [judge.look(0.1) for _ in range(looks - 1)] == [None] * (looks - 1)
    begun.robot.data.qpos[2] = 1.0
    mujoco.mj_forward(begun.robot.model, begun.robot.data)
    assert judge.look(0.1) is None
    begun.robot.data.qpos[2] = 0.03
    mujoco.mj_forward(begun.robot.model, begun.robot.data)
    assert FALLEN in [judge.look(0.1) for _ in range(looks + 2)]


def test_a_load_against_the_trunk_is_no_fall() -> None:
    begun = ready("lateral-hit", 1.0)
    robot, judge = begun.robot, Judge(begun.robot, begun.scene.goal)
    stand(robot, 0.3)
    begun.scene.goal.release(robot)
    robot.data.joint("pendulum").qpos[0] = 0.0
    mujoco.mj_forward(robot.model, robot.data)
    assert robot.trunk_touches()
    assert not judge._trunk_bears()


def test_physics_that_diverged_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # MuJoCo writes its warnings into a file where it stands
    monkeypatch.chdir(tmp_path)
    begun = ready("payload", 1.0)
    begun.robot.data.qvel[0] = np.nan
    begun.robot.advance(0.002)
    assert Judge(begun.robot, begun.scene.goal).look(0.1) == DIVERGED


def test_the_operator_steers_back_to_the_line() -> None:
    begun = ready("payload", 1.0)
    pilot = Pilot(begun.robot, 0.5)
    begun.robot.data.qpos[1] = 0.5
    begun.robot.data.qpos[3:7] = [1.0, 0.0, 0.0, 0.0]
    forward, left, turn = pilot.poll(None).command
    assert (forward, left, turn) == (0.5, 0.0, pytest.approx(-0.25))
    assert (Pilot(begun.robot, 0.0).poll(None).command == 0.0).all()


def test_who_stands_still_runs_out_of_time(idle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reach, "seconds", 0.3)
    shown: list[float] = []
    outcome = trial.attempt(Policy(idle), TASKS["payload"], 0, 1.0, lambda data: shown.append(data.time))
    assert (outcome.end, outcome.passed) == (OUT_OF_TIME, False)
    assert len(shown) == pytest.approx((2.0 + 0.3) / trial.PERIOD, abs=3)
    assert np.diff(shown) == pytest.approx(trial.PERIOD)


def test_who_does_not_get_up_is_not_waited_for(idle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "GETTING_UP", 1.0)
    assert trial.attempt(Policy(idle), TASKS["payload"], 0, 1.0).end == NOT_UP


def test_processes_come_to_the_same_outcomes(idle: Path) -> None:
    """A load of 20 kg throws the robot over: a short trial with everything in it."""
    with Crew(1) as alone, Crew(2) as together:
        one = list(alone.trials(idle, "lateral-hit", [3, 4], 20.0))
        other = sorted(together.trials(idle, "lateral-hit", [3, 4], 20.0), key=lambda outcome: outcome.seed)
    assert one == other
    assert {outcome.end for outcome in one} == {"stopped: tilt"}


@pytest.mark.skipif("aliengo" not in names(), reason="no policy for Aliengo is shipped")
def test_the_shipped_aliengo_walks_off_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """One whole trial of a lower step, which it is known to manage."""
    monkeypatch.setattr("him.bench.tasks.edge.TABLE", Table(missing_height=0.15))
    outcome = trial.attempt(Policy("aliengo"), TASKS["missing-step"], 0)
    assert outcome.end == PASSED
    assert 3.0 < outcome.seconds < 12.5
