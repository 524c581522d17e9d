import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from him.deploy import Command, Limits, State
from him.deploy.safety import Fault, Guard, within_limits

LOW, HIGH = np.tile([-0.8, -1.0, -2.7], 4), np.tile([0.8, 4.0, -0.9], 4)
LIMITS = np.stack([LOW, HIGH], axis=1)
TORQUES = np.full(12, 33.5)


def measured(joint_pos=None, **changes) -> State:
    rest = {
        "joint_pos": np.tile([0.0, 0.8, -1.5], 4) if joint_pos is None else joint_pos,
        "joint_vel": np.zeros(12),
        "joint_torque": np.zeros(12),
        "quaternion": np.array([1.0, 0.0, 0.0, 0.0]),
        "angular_velocity": np.zeros(3),
        "acceleration": np.array([0.0, 0.0, 9.81]),
    }
    return State(**{**rest, **changes})


def rolled(angle: float) -> np.ndarray:
    return np.array([np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0])


joints = arrays(np.float64, 12, elements=st.floats(-10.0, 10.0))


@settings(max_examples=200, deadline=None)
@given(joints, joints, arrays(np.float64, 12, elements=st.floats(-60.0, 60.0)))
def test_targets_stay_in_joint_limits_and_torque_in_torque_limits(target, position, velocity):
    state = measured(position, joint_vel=velocity)
    safe = within_limits(Command(q=target, kp=np.full(12, 60.0), kd=np.full(12, 3.0)), state, LIMITS, TORQUES)
    assert (safe.q >= LOW).all()
    assert (safe.q <= HIGH).all()
    torque = safe.kp * (safe.q - position) - safe.kd * velocity
    assert (np.abs(torque) <= TORQUES * (1 + 1e-9)).all()


def test_command_inside_the_limits_is_left_alone():
    state = measured()
    wanted = Command(q=state.joint_pos + 0.05, kp=np.full(12, 30.0), kd=np.full(12, 0.75))
    safe = within_limits(wanted, state, LIMITS, TORQUES)
    np.testing.assert_allclose(safe.q, wanted.q)
    np.testing.assert_allclose(safe.kp, wanted.kp)


def test_clamped_target_gives_the_torque_limit_as_in_training():
    """Clipping the target gives the same torque as clipping the PD torque, which is what training does."""
    state = measured(joint_vel=np.full(12, 1.0))
    wanted = Command(q=state.joint_pos + 5.0, kp=np.full(12, 60.0), kd=np.full(12, 1.0))
    safe = within_limits(wanted, state, np.tile([-99.0, 99.0], (12, 1)), TORQUES)
    np.testing.assert_allclose(safe.kp * (safe.q - state.joint_pos) - safe.kd * state.joint_vel, TORQUES)


@pytest.fixture
def guard(robot) -> Guard:
    return Guard(robot, Limits())


def test_healthy_state_passes(guard):
    assert guard.check(measured(), 0, 0.0) is None


@pytest.mark.parametrize("field", ["joint_pos", "joint_vel", "joint_torque", "quaternion", "angular_velocity"])
def test_number_that_is_not_finite_trips_at_once(guard, field):
    state = measured()
    getattr(state, field)[1] = np.nan
    assert guard.check(state, 0, 0.0).fault == Fault.NOT_FINITE


def test_tilt(guard):
    assert guard.check(measured(quaternion=rolled(1.0)), 0, 0.0) is None
    assert guard.check(measured(quaternion=rolled(1.1)), 0, 0.002).fault == Fault.TILT


def test_silence_before_and_after_the_first_packet(guard):
    assert guard.check(None, 0, 0.0).fault == Fault.STALE
    assert guard.check(measured(), 0, 1.0) is None
    assert guard.check(None, 0, 1.048) is None
    assert guard.check(None, 0, 1.052).fault == Fault.STALE


def test_counter_that_stands_still_is_silence(guard):
    for cycle in range(26):
        assert guard.check(measured(tick=7), 0, 0.002 * cycle) is None
    assert guard.check(measured(tick=7), 0, 0.052).fault == Fault.STALE
    assert guard.check(measured(tick=8), 0, 0.054) is None


def test_one_refused_packet_is_only_counted_but_five_in_a_row_trip(guard):
    assert guard.check(measured(), 1, 0.0) is None
    assert guard.check(None, 5, 0.002) is None
    assert guard.check(None, 6, 0.004).fault == Fault.REFUSED
    assert guard.check(measured(), 6, 0.006) is None


@pytest.mark.parametrize(("field", "value"), [("joint_pos", 1.5), ("joint_vel", 60.0), ("joint_torque", 60.0)])
def test_measured_limit_trips_after_ten_milliseconds(guard, field, value):
    bad = measured()
    getattr(bad, field)[3] = value
    for cycle in range(5):
        assert guard.check(bad, 0, 0.002 * cycle) is None
    trip = guard.check(bad, 0, 0.010)
    assert trip.fault == Fault.LIMIT
    assert "FR_hip" in trip.reason


def test_limit_exceeded_for_a_moment_is_forgiven(guard):
    bad = measured()
    bad.joint_vel[0] = 60.0
    for cycle in range(50):
        assert guard.check(bad if cycle % 4 else measured(), 0, 0.002 * cycle) is None
