"""The Go2 over DDS: the same controller, another wire. Needs the extra `go2` (cyclonedds 11)."""

from typing import Any

import numpy as np

from him.deploy.messages import JOINTS, Command, State
from him.deploy.wire import Refused, bounds, go2
from him.deploy.wire.tables import FOOT_ORDER, JOINT_ORDER
from him.errors import MissingExtraError

try:
    from cyclonedds.core import DDSException

    from him.deploy import dds_types
    from him.deploy.dds_bus import Bus
    from him.deploy.motion_switcher import MotionSwitcher
except ModuleNotFoundError as missing:
    raise MissingExtraError(missing.name or "cyclonedds", "go2") from None

types: Any = dds_types


class DdsLink:
    """A Go2 on one network interface; its built-in controller is released before the first command."""

    def __init__(self, bus: "Bus") -> None:
        self.released = MotionSwitcher(bus).release()
        """Built-in mode that was active before."""
        self.refused = 0
        self.last_refusal = ""
        self._commands = bus.writer("rt/lowcmd", types.LowCmd)
        self._states = bus.reader("rt/lowstate", types.LowState)
        self._message = _message()

    def send(self, command: Command) -> None:
        record = go2.image(command)[0]
        for motor, values in zip(self._message.motor_cmd, record["motor_cmd"].tolist(), strict=True):
            motor.mode, _, motor.q, motor.dq, motor.tau, motor.kp, motor.kd, _ = values
        self._message.crc = int(record["crc"])
        try:
            self._commands.write(self._message)
        except DDSException as error:
            raise OSError(f"DDS: {error}") from None

    def receive(self) -> State | None:
        newest = None
        for sample in self._states.take(1):
            if not isinstance(sample, types.LowState):
                continue
            try:
                newest = parse_state(sample)
            except Refused as refusal:
                self.refused += 1
                self.last_refusal = str(refusal)
        return newest

    def close(self) -> None:
        """Nothing to do: the participant goes with the link."""


def parse_state(sample: Any) -> State:
    """The state in a sample, or `Refused` with the reason.

    Its checksum is not asked for: DDS checks its packets, and whether every firmware fills it in is unknown.
    """
    rows = [(motor.q, motor.dq, motor.tau_est, motor.temperature) for motor in sample.motor_state[:JOINTS]]
    motors = np.array(rows)[JOINT_ORDER]
    imu = sample.imu_state
    quaternion, gyroscope, accelerometer = map(np.array, (imu.quaternion, imu.gyroscope, imu.accelerometer))
    bounds.check("joint position", motors[:, 0], bounds.POSITION)
    bounds.check("joint velocity", motors[:, 1], bounds.VELOCITY)
    bounds.check("joint torque", motors[:, 2], bounds.TORQUE)
    bounds.check_imu(quaternion, gyroscope, accelerometer, np.array(imu.rpy))
    return State(
        joint_pos=motors[:, 0],
        joint_vel=motors[:, 1],
        joint_torque=motors[:, 2],
        quaternion=quaternion,
        angular_velocity=gyroscope,
        acceleration=accelerometer,
        tick=sample.tick,
        temperature=motors[:, 3],
        foot_force=np.array(sample.foot_force, dtype=np.float64)[FOOT_ORDER],
        remote=bytes(sample.wireless_remote),
    )


def connect(interface: str) -> DdsLink:
    """The Go2 on a network interface, in the robot's DDS domain."""
    return DdsLink(Bus(interface))


def _message() -> Any:
    """A command sample that is filled in anew for each command."""
    return types.LowCmd(
        head=list(go2.HEAD),
        level_flag=0xFF,
        frame_reserve=0,
        sn=[0, 0],
        version=[0, 0],
        bandwidth=0,
        motor_cmd=[types.MotorCmd(0, 0.0, 0.0, 0.0, 0.0, 0.0, [0, 0, 0]) for _ in range(20)],
        bms_cmd=types.BmsCmd(0, [0, 0, 0]),
        wireless_remote=[0] * 40,
        led=[0] * 12,
        fan=[0, 0],
        gpio=0,
        reserve=0,
        crc=0,
    )
