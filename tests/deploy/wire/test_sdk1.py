import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from him.deploy import messages
from him.deploy.messages import Command, State
from him.deploy.wire import FRAMES, Refused, tables
from him.deploy.wire.crc import covered_words, crc32
from him.policy import JOINT_NAMES

RECORDED = {
    "A1_sdk_v3.2": "a1",
    "A1_Aliengo_sdk_v3.3.1": "aliengo",
    "Aliengo_sdk_v3.8.4": "aliengo",
    "Go1_sdk_v3.8.6": "go1",
}
VENDOR_JOINTS = [f"{leg}_{joint}" for leg in ("FR", "FL", "RR", "RL") for joint in ("hip", "thigh", "calf")]


def resealed(data: bytes) -> bytes:
    return data[:-4] + crc32(data, covered_words(len(data))).to_bytes(4, "little")


def planted(frames, state: bytes, field, value) -> bytes:
    """The state packet with one value changed and its checksum made right again."""
    record = np.frombuffer(state, frames.state).copy()
    field(record)[...] = value
    return resealed(record.tobytes())


def test_tables_have_the_lengths_on_the_wire():
    assert (tables.MOTOR_COMMAND.itemsize, tables.MOTOR_STATE.itemsize, tables.IMU.itemsize) == (27, 32, 53)
    assert (tables.A1_COMMAND.itemsize, tables.A1_STATE.itemsize) == (610, 771)
    assert (tables.GO1_COMMAND.itemsize, tables.GO1_STATE.itemsize) == (614, 807)


def test_joint_order_maps_names():
    assert [VENDOR_JOINTS[place] for place in tables.JOINT_ORDER] == list(JOINT_NAMES)
    assert (tables.JOINT_ORDER[tables.JOINT_ORDER] == np.arange(12)).all()


@pytest.mark.parametrize(("recording", "robot"), RECORDED.items())
def test_command_equals_what_unitree_s_library_sends(golden, golden_command, recording, robot):
    assert FRAMES[robot].pack_command(golden_command).hex() == golden[recording]["lowcmd_hex"]


@pytest.mark.parametrize(("recording", "robot"), RECORDED.items())
def test_state_equals_what_unitree_s_library_reads(golden, recording, robot):
    decoded = golden[recording]["decoded"]
    state = FRAMES[robot].parse_state(bytes.fromhex(golden[recording]["lowstate_hex"]))
    measured = {"q": state.joint_pos, "dq": state.joint_vel, "tauEst": state.joint_torque}
    measured["temperature"] = state.temperature
    for name, values in measured.items():
        for joint, value in zip(JOINT_NAMES, values, strict=True):
            assert value == decoded["motors"][VENDOR_JOINTS.index(joint)][name], (joint, name)
    imu = [*state.quaternion, *state.angular_velocity, *state.acceleration]
    assert imu == decoded["imu"][:10]
    front_right, front_left, rear_right, rear_left = decoded["foot_force"]
    assert state.foot_force.tolist() == [front_left, front_right, rear_left, rear_right]
    assert state.tick == decoded["tick"]


@pytest.mark.parametrize("robot", ["a1", "go1"])
def test_command_survives_the_wire(golden_command, robot):
    back = FRAMES[robot].parse_command(FRAMES[robot].pack_command(golden_command))
    np.testing.assert_allclose(back.q, golden_command.q, atol=1e-6)
    np.testing.assert_allclose(back.tau, golden_command.tau, atol=1 / 256)
    np.testing.assert_allclose(back.kp, golden_command.kp, atol=1 / 32)
    np.testing.assert_allclose(back.kd, golden_command.kd, atol=1 / 16)
    assert back.servo


numbers = arrays(np.float64, 12, elements=st.floats(-1e6, 1e6))


@settings(max_examples=50, deadline=None)
@given(numbers, numbers, numbers, numbers, numbers)
def test_no_command_ever_wraps_round(q, kp, kd, dq, tau):
    """Values beyond the fields' ends arrive at the ends, with their sign."""
    back = FRAMES["go1"].parse_command(FRAMES["go1"].pack_command(Command(q=q, kp=kp, kd=kd, dq=dq, tau=tau)))
    np.testing.assert_allclose(back.tau, np.clip(tau, -127, 127), atol=1 / 256)
    np.testing.assert_allclose(back.kp, np.clip(kp, 0, 1000), atol=1 / 32)
    np.testing.assert_allclose(back.kd, np.clip(kd, 0, 100), atol=1 / 16)
    np.testing.assert_allclose(back.q, np.where(kp > 0, np.clip(q, -2 * np.pi, 2 * np.pi), 0), atol=1e-6)


@pytest.mark.parametrize("field", ["q", "kp", "kd", "dq", "tau"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_command_that_is_not_finite_is_not_sent(field, value):
    command = Command()
    getattr(command, field)[5] = value
    with pytest.raises(Refused, match="finite"):
        FRAMES["a1"].pack_command(command)


def test_motors_off_and_damping_as_the_robot_reads_them():
    frames = FRAMES["a1"]
    off = np.frombuffer(frames.pack_command(messages.off()), frames.command)["motors"][0, :12]
    assert set(off["mode"]) == {tables.OFF}
    braking = np.frombuffer(frames.pack_command(messages.damping(3.0)), frames.command)["motors"][0, :12]
    assert set(braking["mode"]) == {tables.SERVO}
    assert set(braking["q"]) == {tables.POS_STOP}
    assert set(braking["kp"]) == {0}
    assert set(braking["kd"]) == {48}
    assert set(braking["dq"]) == {0.0}


def test_packing_and_parsing_leave_the_loop_its_time(golden, golden_command):
    """A cycle has 2 ms; the best of many, because other processes share the machine."""
    data, times = bytes.fromhex(golden["Go1_sdk_v3.8.6"]["lowstate_hex"]), []
    for _ in range(200):
        start = time.perf_counter()
        FRAMES["go1"].parse_state(data)
        FRAMES["go1"].pack_command(golden_command)
        times.append(time.perf_counter() - start)
    assert np.percentile(times, 25) < 5e-4


@pytest.mark.parametrize("robot", ["a1", "go1"])
def test_state_survives_the_wire(robot):
    rng = np.random.default_rng(0)
    state = State(
        joint_pos=rng.uniform(-1, 1, 12),
        joint_vel=rng.uniform(-9, 9, 12),
        joint_torque=rng.uniform(-30, 30, 12),
        quaternion=np.array([0.6, 0.0, 0.8, 0.0]),
        angular_velocity=rng.uniform(-1, 1, 3),
        acceleration=rng.uniform(-9, 9, 3),
        tick=2**32 + 5,
        temperature=np.arange(12.0),
        foot_force=np.array([1.0, 2.0, 3.0, 4.0]),
        remote=bytes(range(40)),
    )
    back = FRAMES[robot].parse_state(FRAMES[robot].pack_state(state))
    for name in ("joint_pos", "joint_vel", "quaternion", "angular_velocity", "acceleration"):
        np.testing.assert_allclose(getattr(back, name), getattr(state, name), rtol=1e-6, err_msg=name)
    np.testing.assert_allclose(back.joint_torque, state.joint_torque, atol=1 / 256)
    assert back.tick == 5
    assert back.remote == state.remote
    assert back.temperature.tolist() == state.temperature.tolist()
    assert back.foot_force.tolist() == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(("recording", "robot"), [("A1_sdk_v3.2", "a1"), ("Go1_sdk_v3.8.6", "go1")])
def test_bad_packets_are_refused(golden, recording, robot):
    frames = FRAMES[robot]
    good = bytes.fromhex(golden[recording]["lowstate_hex"])
    with pytest.raises(Refused, match="bytes instead of"):
        frames.parse_state(good[:-1])
    with pytest.raises(Refused, match="begin with"):
        frames.parse_state(resealed(b"\x00" + good[1:]))
    for place in (len(frames.head), 100, len(good) - 8, len(good) - 1):
        flipped = bytearray(good)
        flipped[place] ^= 1
        with pytest.raises(Refused, match="checksum"):
            frames.parse_state(bytes(flipped))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e9])
@pytest.mark.parametrize(
    "field",
    [
        lambda record: record["motors"]["q"][0, 0:1],
        lambda record: record["motors"]["dq"][0, 11:12],
        lambda record: record["imu"]["quaternion"][0, 2:3],
        lambda record: record["imu"]["gyroscope"][0, 1:2],
        lambda record: record["imu"]["accelerometer"][0, 0:1],
        lambda record: record["imu"]["rpy"][0, 2:3],
    ],
)
def test_values_no_robot_has_are_refused_though_the_checksum_is_right(golden, field, value):
    good = bytes.fromhex(golden["Go1_sdk_v3.8.6"]["lowstate_hex"])
    with pytest.raises(Refused, match="not finite or"):
        FRAMES["go1"].parse_state(planted(FRAMES["go1"], good, field, value))


def test_torque_beyond_the_field_s_bound_is_refused(golden):
    """The field reaches -128 Nm, a value that only a wrap or a fault gives."""
    good = bytes.fromhex(golden["A1_sdk_v3.2"]["lowstate_hex"])
    with pytest.raises(Refused, match="torque"):
        FRAMES["a1"].parse_state(planted(FRAMES["a1"], good, lambda record: record["motors"]["tau"][0, 4:5], -32768))


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("q", np.nan, "position is"),
        ("q", 7.0, "position is"),
        ("dq", 101.0, "velocity is"),
        ("tau", 32767, "torque"),
        ("kp", 65535, "position gain"),
        ("kd", 65535, "velocity gain"),
    ],
)
def test_commands_no_controller_gives_are_refused_though_the_checksum_is_right(golden_command, field, value, words):
    frames = FRAMES["go1"]
    record = np.frombuffer(frames.pack_command(golden_command), frames.command).copy()
    record["motors"][field][0, 7] = value
    with pytest.raises(Refused, match=words):
        frames.parse_command(resealed(record.tobytes()))


def test_unused_motors_and_bytes_outside_the_checksum_may_hold_anything(golden):
    frames = FRAMES["a1"]
    good = bytes.fromhex(golden["A1_sdk_v3.2"]["lowstate_hex"])
    odd = planted(frames, good, lambda record: record["motors"]["q"][0, 12:], np.nan)
    odd = bytearray(odd)
    odd[764:767] = b"\xff\xff\xff"
    assert frames.parse_state(bytes(odd)).joint_pos.tolist() == frames.parse_state(good).joint_pos.tolist()


def test_mixed_motor_modes_are_refused(golden_command):
    frames = FRAMES["a1"]
    record = np.frombuffer(frames.pack_command(golden_command), frames.command).copy()
    record["motors"]["mode"][0, 3] = 0
    with pytest.raises(Refused, match="modes"):
        frames.parse_command(resealed(record.tobytes()))
