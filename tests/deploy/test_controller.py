import threading
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from him.deploy import Controller, Mode, Request, SimClock
from him.deploy.aside import Aside
from him.deploy.safety import Fault
from him.deploy.settings import Settings
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


def test_nothing_faster_than_a_person_allows(make_rig):
    rig = make_rig(settings=Settings(fastest=(0.4, 0.2, 9.0)))
    rig.walk()
    rig.operator.command = np.array([9.0, -9.0, 9.0])
    rig.run(0.1)
    assert rig.controller.walker.command.tolist() == [0.4, -0.2, 1.5]


def test_damping_is_sent_before_anybody_is_told(rig):
    rig.walk()
    told = []
    rig.controller._aloud = lambda text: told.append((text, rig.link.sent[-1]))
    rig.ask(Request.DAMPING)
    (text, sent), *_ = told
    assert text.startswith("DAMPING")
    assert is_damping(sent)


def test_a_terminal_that_does_not_listen_keeps_nobody_waiting():
    listens, heard = threading.Event(), []

    def say(text: str) -> None:
        listens.wait(10.0)
        heard.append(text)

    aside, begun = Aside(say), time.perf_counter()
    for i in range(100):
        aside(str(i))
    assert time.perf_counter() - begun < 0.1
    assert heard == []
    listens.set()
    aside.close(10.0)
    assert heard == [str(i) for i in range(100)]


def test_sits_down_and_ends_passive(rig):
    rig.walk()
    rig.ask(Request.STAND, 4.0)
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


FOLLOWED = {
    ("PASSIVE", "STAND"): "STAND_UP",
    ("STAND_UP", "SIT"): "SIT",
    ("STAND", "WALK"): "WALK",
    ("STAND", "SIT"): "SIT",
    ("WALK", "STAND"): "STAND_UP",
    ("WALK", "SIT"): "SIT",
    ("SIT", "STAND"): "STAND_UP",
    ("DAMPING", "RESTART"): "PASSIVE",
}
"""Every request that is followed, besides damping, which always is, and quitting."""


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("request_", [request for request in Request if request != Request.QUIT])
def test_no_way_between_modes_but_these(rig, mode, request_):
    rig.run(0.1)
    rig.controller._enter(mode, rig.clock.now())
    rig.run(0.01)
    rig.ask(request_)
    if mode == Mode.WALK and request_ == Request.SIT:
        rig.run(Settings().handover_time)
    damped = "DAMPING" if request_ == Request.DAMPING else mode.name
    assert rig.mode.name == FOLLOWED.get((mode.name, request_.name), damped)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(Request), st.integers(1, 1200)), max_size=12))
def test_motors_hold_positions_only_in_the_modes_that_say_so(make_rig, requests):
    """Whatever an operator asks for, in whatever order: off is off, damping is damping, targets stay in limits."""
    rig = make_rig()
    limits = np.array(rig.controller.walker._policy.contract.joint_limits)
    rig.run(0.01)
    for request, cycles in requests:
        if request != Request.QUIT:
            rig.ask(request, 0.002 * cycles)
        last = rig.link.sent[-1]
        assert last.servo == (rig.mode != Mode.PASSIVE)
        assert last.kp.any() == (rig.mode in (Mode.STAND_UP, Mode.STAND, Mode.WALK, Mode.SIT))
        if last.kp.any():
            assert (last.q >= limits[:, 0] - 1e-9).all()
            assert (last.q <= limits[:, 1] + 1e-9).all()


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


def fault_position(rig):
    """A joint pushed beyond its end, where the motors do not bring it back."""
    receive = rig.link.receive

    def pushed():
        state = receive()
        state.joint_pos = state.joint_pos.copy()
        state.joint_pos[5] = 0.5
        return state

    rig.link.receive = pushed


def fault_velocity(rig):
    rig.link.state.joint_vel[7] = 60.0


def fault_silence(rig):
    rig.link.silent = True


def fault_counter(rig):
    rig.link.frozen = True


def fault_action(rig):
    rig.controller.walker.target = refuse_to_act


def refuse_to_act(*_):
    raise ValueError("the policy's action is not finite")


CAUSES = [
    (fault_nan, Fault.NOT_FINITE, 0.0),
    (fault_action, Fault.NOT_FINITE, 0.0),
    (fault_tilt, Fault.TILT, 0.0),
    (fault_refused, Fault.REFUSED, 0.0),
    (fault_limit, Fault.LIMIT, 0.0),
    (fault_position, Fault.LIMIT, 0.0),
    (fault_velocity, Fault.LIMIT, 0.0),
    (fault_silence, Fault.STALE, 0.05),
    (fault_counter, Fault.STALE, 0.05),
    (fault_operator, Fault.OPERATOR, 0.0),
]
"""What happens, what it is called, and how long it takes until it can be known (silence is one after 50 ms)."""


SCENES = [
    (mode, *cause)
    for cause in CAUSES
    for mode in ("stand up", "stand", "walk", "sit")
    if mode == "walk" or cause[0] is not fault_action  # the policy acts only while walking
]


@pytest.mark.parametrize(("mode", "happens", "fault", "known_after"), SCENES)
def test_damping_goes_out_within_20_ms_and_says_why(rig, mode, happens, fault, known_after):
    begin(rig, mode)
    happens(rig)
    begun, cycles = rig.clock.now(), len(rig.link.sent)
    rig.run(known_after + 0.03)
    first = next(index for index, command in enumerate(rig.link.sent[cycles:]) if is_damping(command))
    assert 0.002 * first <= known_after + 0.02
    assert rig.controller.trip.fault == fault
    assert rig.controller.trip.reason in rig.said[-1]
    assert rig.clock.now() - begun == pytest.approx(known_after + 0.03)
    assert all(is_damping(command) for command in rig.link.sent[cycles + first :])


def begin(rig, mode: str) -> None:
    """The rig in the middle of a mode."""
    rig.run(0.1)
    rig.ask(Request.STAND, 1.0 if mode == "stand up" else 2.1)
    if mode == "walk":
        rig.ask(Request.WALK, 0.5)
    if mode == "sit":
        rig.ask(Request.SIT, 1.0)
    assert rig.mode.name == mode.upper().replace(" ", "_")


def test_link_that_breaks_is_a_stop_and_damping_goes_out_once_it_can(rig):
    rig.walk()
    rig.link.broken = True
    rig.run(0.02)
    assert rig.controller.trip.fault == Fault.LINK
    assert rig.controller.trip.reason in rig.said[-1]
    rig.link.broken = False
    rig.run(0.002)
    assert is_damping(rig.link.sent[-1])


def test_every_fault_has_its_test():
    tested = {fault for _, fault, _ in CAUSES} | {Fault.LINK, Fault.DEADLINE}
    assert tested == set(Fault) - {Fault.NONE}


def test_stops_are_remembered(rig):
    rig.walk()
    fault_operator(rig)
    rig.run(0.01)
    rig.ask(Request.RESTART)
    rig.ask(Request.DAMPING)
    assert rig.controller.stops == ["the operator asked for it"] * 2


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
    assert rig.mode == Mode.STAND_UP
    rig.run(1.0)
    assert rig.mode == Mode.SIT
    rig.run(2.1)
    assert rig.mode == Mode.PASSIVE
    assert sum("operator lost" in said for said in rig.said) == 1


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
