import numpy as np
import pytest

from him.deploy import Controller, Mode, Request, SimClock
from him.deploy.safety import Fault
from him.errors import HimError
from him.policy import History, Policy, frame, gravity_direction


def is_damping(command) -> bool:
    return command.servo and not command.kp.any() and bool((command.kd == 3.0).all())


def test_begins_passive_with_motors_off(rig):
    rig.run(0.1)
    assert rig.mode == Mode.PASSIVE
    assert not any(command.servo for command in rig.link.sent)


def test_stands_up_in_two_seconds_without_a_jump(rig, policy):
    rig.run(0.1)
    rig.ask(Request.STAND)
    rig.run(1.9)
    assert rig.mode == Mode.STAND_UP
    rig.run(0.2)
    assert rig.mode == Mode.STAND
    contract = policy.contract
    np.testing.assert_allclose(rig.link.state.joint_pos, contract.default_joint_pos, atol=1e-6)
    np.testing.assert_allclose(rig.link.sent[-1].kp, contract.stand_kp)
    targets = np.array([command.q for command in rig.link.sent if command.kp.any()])
    assert np.abs(np.diff(targets, axis=0)).max() < 0.01


def test_walks_with_the_policy_s_gains_at_fifty_hertz(rig, policy):
    rig.walk()
    rig.link.sent.clear()
    rig.run(1.0)
    np.testing.assert_allclose(rig.link.sent[-1].kp, policy.contract.kp)
    targets = np.array([command.q for command in rig.link.sent])
    changes = np.abs(np.diff(targets, axis=0)).max(axis=1) > 0
    assert len(targets) == 500
    assert 45 <= changes.sum() <= 50
    assert np.diff(np.flatnonzero(changes)).min() == 10


def test_same_frames_give_the_same_actions_as_training_code(rig, policy):
    """The targets sent equal those of the frame, history and network applied by hand to the same states."""
    states = []
    receive = rig.link.receive

    def recorded():
        state = receive()
        states.append((state.joint_pos.copy(), state.joint_vel.copy()))
        return state

    rig.link.receive = recorded
    rig.operator.command = np.array([0.5, -0.1, 0.2])
    rig.walk()
    walking = [i for i, command in enumerate(rig.link.sent) if np.allclose(command.kp, policy.contract.kp)]
    history, action = History(), np.zeros(12)
    default, identity = np.array(policy.contract.default_joint_pos), [1.0, 0.0, 0.0, 0.0]
    for index in walking[::10]:
        position, velocity = states[index]
        gravity = gravity_direction(identity)
        newest = frame(rig.operator.command, np.zeros(3), gravity, position - default, velocity, action)
        action = policy.act(history.push(newest)).action
        np.testing.assert_allclose(rig.link.sent[index].q, default + 0.25 * action, atol=1e-5)
    assert len(walking) > 200


def test_commands_are_clamped_to_the_policy_s_ranges(rig):
    rig.walk()
    rig.operator.command = np.array([9.0, -9.0, np.inf])
    rig.run(0.1)
    assert rig.controller.walker.command.tolist() == [0.0, 0.0, 0.0]
    rig.operator.command = np.array([9.0, -9.0, 9.0])
    rig.run(0.1)
    assert rig.controller.walker.command.tolist() == [1.0, -0.5, 1.5]


def test_sits_down_and_ends_passive(rig):
    rig.walk()
    rig.ask(Request.SIT, 1.9)
    assert rig.mode == Mode.SIT
    rig.run(0.2)
    assert rig.mode == Mode.PASSIVE
    np.testing.assert_allclose(rig.link.state.joint_pos, np.tile([0.0, 1.36, -2.65], 4), atol=1e-4)


@pytest.mark.parametrize("request_", [Request.WALK, Request.SIT, Request.RESTART])
def test_impossible_request_is_refused_with_a_word(rig, request_):
    rig.run(0.1)
    rig.ask(request_)
    assert rig.mode == Mode.PASSIVE
    assert "not possible" in rig.said[-1]


def test_standing_up_is_refused_without_a_state(rig):
    rig.link.silent = True
    rig.run(0.1)
    rig.ask(Request.STAND)
    assert rig.mode == Mode.PASSIVE
    assert "no state packet" in rig.said[-1]


def fault_nan(rig):
    rig.link.state.joint_vel[4] = np.nan


def fault_tilt(rig):
    rig.link.state.quaternion = np.array([np.cos(0.6), np.sin(0.6), 0.0, 0.0])


def fault_refused(rig):
    rig.link.silent = True
    receive = rig.link.receive

    def refuse():
        rig.link.refused += 1
        return receive()

    rig.link.receive = refuse


def fault_limit(rig):
    rig.link.state.joint_torque[2] = 70.0


def fault_operator(rig):
    rig.operator.request = Request.DAMPING


def fault_link(rig):
    rig.link.broken = True


@pytest.mark.parametrize(
    ("happens", "fault"),
    [
        (fault_nan, Fault.NOT_FINITE),
        (fault_tilt, Fault.TILT),
        (fault_refused, Fault.REFUSED),
        (fault_limit, Fault.LIMIT),
        (fault_operator, Fault.OPERATOR),
        (fault_link, Fault.LINK),
    ],
)
def test_fault_is_damped_within_20_ms_and_says_why(rig, happens, fault):
    rig.walk()
    happens(rig)
    rig.run(0.02)
    assert rig.mode == Mode.DAMPING
    assert rig.controller.trip.fault == fault
    assert rig.controller.trip.reason in rig.said[-1]
    rig.link.broken = False
    rig.run(0.01)
    assert is_damping(rig.link.sent[-1])


def test_stale_states_are_damped(rig):
    rig.walk()
    rig.link.silent = True
    rig.run(0.048)
    assert rig.mode == Mode.WALK
    rig.run(0.02)
    assert rig.controller.trip.fault == Fault.STALE
    assert is_damping(rig.link.sent[-1])


def test_lost_packets_are_ridden_through(rig):
    rig.walk()
    rng = np.random.default_rng(0)
    for _ in range(500):
        rig.link.silent = rng.random() < 0.2
        rig.run(0.002)
    assert rig.mode == Mode.WALK


def test_policy_that_says_nan_is_damped(make_rig, untrained, tmp_path):
    path = untrained.save(tmp_path / "p.onnx", untrained.contract(), gain=float("nan"))
    rig = make_rig(policy=Policy(path))
    rig.run(0.1)
    rig.ask(Request.STAND, 2.1)
    rig.ask(Request.WALK)
    assert rig.controller.trip.fault == Fault.NOT_FINITE
    assert is_damping(rig.link.sent[-1])


def test_damping_needs_a_deliberate_restart_and_a_healthy_robot(rig):
    rig.walk()
    fault_tilt(rig)
    rig.run(0.1)
    for request in (Request.STAND, Request.WALK, Request.SIT, Request.RESTART):
        rig.ask(request, 0.1)
        assert rig.mode == Mode.DAMPING
    assert "tilted" in rig.said[-1]
    rig.link.state.quaternion = np.array([1.0, 0.0, 0.0, 0.0])
    rig.run(1.0)
    assert rig.mode == Mode.DAMPING
    rig.ask(Request.RESTART)
    assert rig.mode == Mode.PASSIVE
    assert rig.controller.trip is None


def test_lost_operator_means_zero_command_then_sit(rig):
    rig.walk()
    rig.operator.command = np.array([1.0, 0.0, 0.0])
    rig.run(0.1)
    rig.operator.present = False
    rig.run(0.45)
    assert rig.controller.walker.command[0] == 1.0
    rig.run(0.1)
    assert rig.controller.walker.command[0] == 0.0
    assert rig.mode == Mode.WALK
    rig.run(1.0)
    assert rig.mode == Mode.SIT
    rig.run(2.1)
    assert rig.mode == Mode.PASSIVE


def test_operator_who_comes_back_in_time_walks_on(rig):
    rig.walk()
    rig.operator.present = False
    rig.run(1.0)
    rig.operator.present = True
    rig.operator.command = np.array([0.3, 0.0, 0.0])
    rig.run(1.0)
    assert rig.mode == Mode.WALK
    assert rig.controller.walker.command[0] == pytest.approx(0.3)


def test_single_late_cycle_is_counted_but_a_missed_deadline_stops(rig):
    rig.walk()
    rig.clock.sleep_until(rig.clock.now() + 0.010)
    rig.run(0.1)
    assert rig.mode == Mode.WALK
    assert rig.controller.timing.late == 1
    rig.clock.sleep_until(rig.clock.now() + 0.021)
    rig.run(0.002)
    assert rig.controller.trip.fault == Fault.DEADLINE
    assert is_damping(rig.link.sent[-1])


def test_leaving_sends_damping_several_times(rig):
    rig.walk()
    rig.operator.request = Request.QUIT
    rig.link.sent.clear()
    rig.controller.run()
    assert sum(map(is_damping, rig.link.sent)) >= 20
    assert is_damping(rig.link.sent[-1])


def test_error_inside_still_sends_damping(rig):
    rig.walk()

    def fails():
        raise RuntimeError("a bug")

    rig.link.receive = fails
    rig.link.sent.clear()
    with pytest.raises(RuntimeError):
        rig.controller.run()
    assert sum(map(is_damping, rig.link.sent)) >= 20


def test_policy_of_another_robot_is_refused(rig, robot, untrained, tmp_path):
    other = Policy(untrained.save(tmp_path / "p.onnx", untrained.contract(robot="go1")))
    with pytest.raises(HimError, match="trained for go1, not for a1"):
        Controller(other, robot, rig.link, SimClock(), rig.operator)


def test_runs_until_told_to_stop(rig):
    rig.controller.run(stop=lambda: rig.clock.now() > 0.5)
    assert rig.controller.timing.cycles == pytest.approx(250, abs=2)
    assert rig.controller.timing.late == 0
