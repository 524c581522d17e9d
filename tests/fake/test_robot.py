"""The simulated robot behind a link moves and senses as a robot would."""

import numpy as np
import pytest

from him import robots
from him.deploy.messages import Command, damping
from him.env.settings import Noise
from him.fake.robot import STEP, Sensors, SimulatedRobot, with_ground

QUIET = Sensors(Noise(scale=0.0), latency=0)


def stand(name: str, sensors: Sensors = QUIET) -> SimulatedRobot:
    table = robots.load(name)
    return SimulatedRobot(table, with_ground(table, 0.8), np.random.default_rng(0), sensors)


@pytest.mark.parametrize("name", robots.names())
def test_it_stands_on_its_stand_gains(name: str) -> None:
    robot = stand(name)
    table = robot.robot
    robot.send(Command(q=table.default_joint_pos, kp=table.stand_kp, kd=table.stand_kd))
    robot.advance(1.0)
    assert robot.position[2] == pytest.approx(table.standing_height, abs=0.03)
    assert not robot.trunk_touches()


def test_motors_that_are_off_let_it_sink() -> None:
    robot = stand("go1")
    robot.advance(1.0)
    assert robot.position[2] < 0.6 * robot.robot.standing_height


def test_motors_follow_their_law_within_their_torque() -> None:
    robot = stand("a1")
    wanted = robot.data.qpos[7:] + 0.1
    robot.send(Command(q=wanted, kp=np.full(12, 20.0), kd=np.full(12, 0.5), tau=np.full(12, 0.3)))
    expected = 0.3 + 20.0 * 0.1 - 0.5 * robot.data.qvel[6:]
    robot.advance(STEP)
    np.testing.assert_allclose(robot.receive().joint_torque, expected)
    robot.send(Command(q=wanted + 9.0, kp=np.full(12, 200.0)))
    robot.advance(STEP)
    np.testing.assert_allclose(robot.receive().joint_torque, robot.robot.torque_limits)


def test_a_motor_drives_no_joint_beyond_its_highest_speed_but_brakes_one() -> None:
    robot = stand("aliengo")
    calf, top = 2, robot.robot.velocity_limits[2]
    robot.data.qpos[2] = 50.0
    for rate, torque in ((0.9 * top, 20.0), (1.1 * top, 0.0), (-1.1 * top, 20.0)):
        robot.data.qvel[:] = 0.0
        robot.data.qvel[6 + calf] = rate
        robot.send(Command(tau=np.where(np.arange(12) == calf, 20.0, 0.0)))
        robot.advance(STEP)
        assert robot.receive().joint_torque[calf] == torque


def test_states_arrive_late_and_noisy_as_told() -> None:
    robot, exact = stand("go2", Sensors(Noise(), latency=3)), stand("go2")
    for one in (robot, exact):
        one.send(damping(2.0))
    seen, true = [], []
    for _ in range(200):
        robot.advance(STEP)
        exact.advance(STEP)
        seen.append(robot.receive())
        true.append(exact.receive())
    late = np.array([s.joint_pos for s in seen[3:]]) - np.array([s.joint_pos for s in true[:-3]])
    assert 0.005 < np.abs(late).max() <= Noise().joint_pos
    assert [s.tick for s in seen[3:]] == [s.tick for s in true[:-3]]
    assert all(np.linalg.norm(s.quaternion) == pytest.approx(1.0) for s in seen)


def test_the_accelerometer_feels_what_holds_the_robot_up() -> None:
    robot = stand("go1")
    robot.data.qpos[2] += 1.0
    robot.advance(0.01)
    falling = robot.receive()
    assert falling is not None
    np.testing.assert_allclose(falling.acceleration, 0.0, atol=0.3)
    robot.lie_down()
    robot.data.qpos[3:7] = np.cos(0.1), 0.0, np.sin(0.1), 0.0
    robot.data.qacc[:] = 0.0
    np.testing.assert_allclose(robot._measure().acceleration, [-9.81 * np.sin(0.2), 0.0, 9.81 * np.cos(0.2)], atol=1e-6)


@pytest.mark.parametrize("name", robots.names())
def test_lying_it_rests_on_its_trunk_with_motors_off(name: str) -> None:
    robot = stand(name)
    robot.lie_down()
    before = robot.position
    robot.advance(0.5)
    assert robot.trunk_touches()
    assert robot.tilt < 0.1
    assert np.abs(robot.position - before).max() < 0.01
    state = robot.receive()
    assert state is not None
    assert not state.joint_torque.any()
    np.testing.assert_allclose(state.acceleration, [0.0, 0.0, 9.81], atol=0.5)


def test_tilt_is_the_angle_to_the_vertical_whatever_the_heading() -> None:
    robot = stand("a1")
    robot.data.qpos[3:7] = np.cos(0.4), 0.0, 0.0, np.sin(0.4)
    assert robot.tilt == pytest.approx(0.0, abs=1e-6)
    assert robot.heading == pytest.approx(0.8)
    robot.data.qpos[3:7] = np.cos(0.4), np.sin(0.4), 0.0, 0.0
    assert robot.tilt == pytest.approx(0.8)
