"""The rope passes on what the box resists with, and a payload weighs what it should."""

import mujoco
import numpy as np
import pytest

from him.bench.tasks.table import TABLE
from tests.bench.tasks.standing import ready, stand

WEIGHT = 10.0


def test_the_rope_transmits_weight_times_friction() -> None:
    """The robot is carried off at a constant speed; the rope must pull as hard as the box rubs."""
    robot = ready("dragging", WEIGHT).robot
    model, data = robot.model, robot.data
    pulls = []
    for step in range(1000):
        # held in the air by an invisible hand, ankle at the height of the knot
        data.qpos[:3] = [0.3 * step * 0.002, 0.0, 0.3]
        data.qpos[3:19] = [1.0, 0.0, 0.0, 0.0, *robot.robot.default_joint_pos]
        data.qvel[:18] = 0.0
        mujoco.mj_step(model, data)
        if step > 600:
            row = np.flatnonzero(data.efc_type == mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON)
            pulls.append(data.efc_force[row].sum())
    knot, ankle = data.site("knot").xpos, data.site("ankle").xpos
    along = (ankle - knot) / np.linalg.norm(ankle - knot)
    # the rope also lifts a little, which takes weight off the floor
    expected = 0.6 * WEIGHT * 9.81 / (along[0] + 0.6 * along[2])
    assert np.mean(pulls) == pytest.approx(expected, rel=0.03)
    assert data.body("box").cvel[3] == pytest.approx(0.3, abs=0.05)


def test_the_rope_is_slack_at_first_and_holds_its_length() -> None:
    robot = ready("dragging", WEIGHT).robot
    mujoco.mj_forward(robot.model, robot.data)
    assert robot.data.ten_length[0] < TABLE.drag_rope
    stand(robot, 0.5)
    resting = robot.data.body("box").xpos.copy()
    assert resting[2] == pytest.approx(TABLE.drag_box / 2, abs=0.003)
    robot.data.xfrc_applied[robot.model.body("base").id, 0] = 40.0
    stand(robot, 0.5)
    assert robot.data.ten_length[0] < TABLE.drag_rope + 0.01


def test_the_rope_is_tied_to_either_hind_leg_of_an_otherwise_unchanged_robot() -> None:
    tied = set()
    for seed in range(6):
        model = ready("dragging", 3.0, seed).robot.model
        tied.add(model.body(model.site("ankle").bodyid[0]).name)
        assert model.body("box").mass[0] == pytest.approx(3.0)
    assert tied == {"RL_calf", "RR_calf"}


def test_a_payload_sits_on_the_trunk_and_adds_its_weight() -> None:
    robot = ready("payload", WEIGHT).robot
    base, load = robot.model.body("base").id, robot.model.body("load").id
    assert robot.model.body_subtreemass[base] == pytest.approx(robot.robot.mass + WEIGHT)
    assert robot.model.body_parentid[load] == base
    bottom = robot.model.body("load").pos[2] - robot.model.geom("load").size[2]
    assert bottom == pytest.approx(robot.robot.trunk.box[2] / 2)
    stand(robot)
    forces = [np.zeros(6) for _ in range(robot.data.ncon)]
    for i, force in enumerate(forces):
        mujoco.mj_contactForce(robot.model, robot.data, i, force)
    assert sum(force[0] for force in forces) == pytest.approx((robot.robot.mass + WEIGHT) * 9.81, rel=0.05)
