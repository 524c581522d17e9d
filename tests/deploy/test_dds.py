"""The Go2's link, on the loopback interface alone and in a domain no robot uses."""

import json
import threading
import time
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from him.deploy.messages import Command, damping
from him.deploy.wire import Refused, go2
from him.deploy.wire.tables import JOINT_ORDER

pytest.importorskip("cyclonedds", reason="the Go2 needs the extra `go2` (cyclonedds)")

from him.deploy import dds, dds_types, motion_switcher
from him.deploy.dds_bus import Bus
from him.errors import HimError

DOMAIN = 77


class FakeGo2:
    """Answers the motion switcher and keeps what arrives on the command topic."""

    def __init__(self, bus: Bus, mode: str) -> None:
        self.mode = mode
        self.calls: list[int] = []
        self._requests = bus.reader("rt/api/motion_switcher/request", dds_types.Request, depth=8)
        self._responses = bus.writer("rt/api/motion_switcher/response", dds_types.Response)
        self._commands = bus.reader("rt/lowcmd", dds_types.LowCmd, depth=4)
        self._states = bus.writer("rt/lowstate", dds_types.LowState)
        self._open = True
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while self._open:
            for request in self._requests.take(8):
                if isinstance(request, dds_types.Request):
                    self._answer(request.header.identity)
            time.sleep(0.002)

    def _answer(self, identity) -> None:
        self.calls.append(identity.api_id)
        data = json.dumps({"form": "0", "name": self.mode}) if identity.api_id == 1001 else ""
        if identity.api_id == 1003:
            self.mode = ""
        header = dds_types.ResponseHeader(identity, dds_types.ResponseStatus(0))
        self._responses.write(dds_types.Response(header, data, []))

    def command(self):
        return waited(lambda: next(iter(self._commands.take(1)), None))

    def publish(self, sample) -> None:
        self._states.write(sample)

    def close(self) -> None:
        self._open = False
        self._thread.join()


def waited(poll, seconds: float = 5.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if (value := poll()) is not None:
            return value
        time.sleep(0.002)
    raise TimeoutError


def low_state(**changes):
    """A state whose joint k on the wire reads k/10."""
    motors = [dds_types.MotorState(1, k / 10, 0.5, 0.0, 2.0, 0.0, 0.0, 0.0, 30 + k, 0, [0, 0]) for k in range(20)]
    imu = dds_types.IMUState([1.0, 0.0, 0.0, 0.0], [0.1, 0.2, 0.3], [0.0, 0.0, 9.8], [0.0] * 3, 40)
    battery = dds_types.BmsState(0, 0, 0, 90, 0, 0, [0, 0], [0, 0], [0] * 15)
    values = {
        "head": [0xFE, 0xEF],
        "level_flag": 0xFF,
        "frame_reserve": 0,
        "sn": [0, 0],
        "version": [0, 0],
        "bandwidth": 0,
        "imu_state": imu,
        "motor_state": motors,
        "bms_state": battery,
        "foot_force": [10, 20, 30, 40],
        "foot_force_est": [0] * 4,
        "tick": 9,
        "wireless_remote": list(range(40)),
        "bit_flag": 0,
        "adc_reel": 0.0,
        "temperature_ntc1": 0,
        "temperature_ntc2": 0,
        "power_v": 29.0,
        "power_a": 1.0,
        "fan_frequency": [0] * 4,
        "reserve": 0,
        "crc": 0,
    }
    return dds_types.LowState(**{**values, **changes})


@pytest.fixture(scope="module")
def bus() -> Bus:
    return Bus("lo", DOMAIN)


@pytest.fixture
def robot(bus, monkeypatch):
    monkeypatch.setattr(motion_switcher.time, "sleep", lambda seconds, sleep=time.sleep: sleep(min(seconds, 0.01)))
    go2 = FakeGo2(bus, mode="ai")
    yield go2
    go2.close()


def test_sport_service_is_released_before_anything_is_sent(bus, robot):
    link = dds.DdsLink(bus)
    assert link.released == "ai"
    assert robot.calls == [1001, 1003, 1001]


def test_commands_and_states_pass(bus, robot):
    robot.mode = ""
    link = dds.DdsLink(bus)
    command = Command(q=np.arange(12) / 10, kp=np.full(12, 40.0), kd=np.full(12, 1.0))
    link.send(command)
    sample = robot.command()
    assert sample.crc == int(go2.image(command)["crc"][0])
    np.testing.assert_allclose([m.q for m in sample.motor_cmd[:12]], command.q[JOINT_ORDER], rtol=1e-6)
    assert {m.mode for m in sample.motor_cmd} == {go2.SERVO}
    assert list(sample.head) == [0xFE, 0xEF]
    robot.publish(low_state())
    state = waited(link.receive)
    np.testing.assert_allclose(state.joint_pos, JOINT_ORDER / 10, rtol=1e-6)
    assert state.foot_force.tolist() == [20, 10, 40, 30]
    assert state.tick == 9
    assert state.remote == bytes(range(40))
    assert state.temperature[0] == 33
    link.send(damping(3.0))
    assert {m.kd for m in robot.command().motor_cmd[:12]} == {3.0}


def test_state_with_a_bad_number_is_refused_and_counted(bus, robot):
    robot.mode = ""
    link = dds.DdsLink(bus)
    bad = low_state()
    bad.motor_state[3].q = float("nan")
    robot.publish(bad)
    waited(lambda: True if link.receive() is None and link.refused == 1 else None)
    with pytest.raises(Refused, match="joint position"):
        dds.parse_state(bad)


def test_missing_robot_is_named(monkeypatch):
    monkeypatch.setattr(motion_switcher, "ANSWER_TIMEOUT", 0.1)
    with pytest.raises(HimError, match="does not answer"):
        dds.DdsLink(Bus("lo", DOMAIN + 1))


def test_unknown_interface_is_named():
    with pytest.raises(HimError, match="nosuchdevice"):
        Bus("nosuchdevice", DOMAIN + 2)


def kinds(annotation):
    """All types named in an annotation, however deep."""
    yield annotation
    for part in getattr(annotation, "__metadata__", ()):
        yield part
        if hasattr(part, "subtype"):
            yield from kinds(part.subtype)


def test_every_8_bit_field_is_a_byte():
    """A `uint8` in any of the types would crash the robot's own 0.10 processes."""
    seen = []
    for message in vars(dds_types).values():
        if isinstance(message, type) and is_dataclass(message):
            for field in fields(message):
                seen += [str(kind) for kind in kinds(field.type)]
    assert sum("byte" in kind for kind in seen) > 20
    assert not any("int8" in kind for kind in seen)


def test_sizes_on_the_wire():
    """808 bytes of payload and 4 of header, as Unitree's own type gives."""
    assert len(dds._message().serialize()) == 812
