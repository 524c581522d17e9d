"""Packs and parses the low-level UDP frames of A1, Aliengo and Go1.

Both directions of both frames are here: a controller packs commands and parses states, a simulated robot
packs states and parses commands. Everything that differs between the robots stands in `tables`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from him.deploy.messages import JOINTS, REMOTE_BYTES, Command, State
from him.deploy.wire import bounds, tables
from him.deploy.wire.bounds import Refused
from him.deploy.wire.crc import covered_words, crc32
from him.deploy.wire.tables import FOOT_ORDER, JOINT_ORDER, POS_STOP, VEL_STOP

Record = NDArray[Any]


@dataclass(frozen=True)
class Frames:
    """The command and state frames of one family of robots."""

    command: np.dtype[Any]
    state: np.dtype[Any]
    head: bytes
    """First bytes of every frame, up to the level flag."""

    def pack_command(self, command: Command) -> bytes:
        """Bytes of a command; its values are clamped first, because the fixed-point fields wrap round."""
        safe = bounds.clamped(command)
        frame = self._blank_command.copy()
        motors = frame["motors"][0, :JOINTS]
        if safe.servo:
            motors["q"] = np.where(safe.kp > 0.0, safe.q, POS_STOP)[JOINT_ORDER]
            motors["dq"] = np.where(safe.kd > 0.0, safe.dq, VEL_STOP)[JOINT_ORDER]
            motors["tau"] = _fixed(safe.tau, tables.TAU_UNIT)
            motors["kp"] = _fixed(safe.kp, tables.KP_UNIT)
            motors["kd"] = _fixed(safe.kd, tables.KD_UNIT)
        else:
            motors["mode"] = tables.OFF
        return _sealed(frame)

    def parse_command(self, data: bytes) -> Command:
        """The command in a packet, or `Refused` with the reason."""
        motors = self._open(data, self.command)["motors"][0, :JOINTS][JOINT_ORDER]
        servo = motors["mode"] == tables.SERVO
        if not (servo.all() or (motors["mode"] == tables.OFF).all()):
            raise Refused("motor modes are neither all servo nor all off")
        q = np.where(motors["q"] == POS_STOP, 0.0, motors["q"])
        dq = np.where(motors["dq"] == VEL_STOP, 0.0, motors["dq"])
        tau, kp, kd = motors["tau"] / tables.TAU_UNIT, motors["kp"] / tables.KP_UNIT, motors["kd"] / tables.KD_UNIT
        bounds.check("joint position", q, bounds.POSITION)
        bounds.check("joint velocity", dq, bounds.VELOCITY)
        bounds.check("torque", tau, bounds.TORQUE)
        bounds.check("position gain", kp, bounds.KP)
        bounds.check("velocity gain", kd, bounds.KD)
        return Command(q=q, kp=kp, kd=kd, dq=dq, tau=tau, servo=bool(servo[0]))

    def pack_state(self, state: State) -> bytes:
        """Bytes of a state, for a simulated robot."""
        frame = self._blank(self.state)
        motors, imu = frame["motors"][0, :JOINTS], frame["imu"][0]
        motors["mode"] = tables.SERVO
        motors["q"] = _within(state.joint_pos, bounds.POSITION)[JOINT_ORDER]
        motors["dq"] = _within(state.joint_vel, bounds.VELOCITY)[JOINT_ORDER]
        motors["tau"] = _fixed(_within(state.joint_torque, bounds.TORQUE), tables.TAU_UNIT)
        motors["temperature"] = _within(state.temperature, 127.0)[JOINT_ORDER]
        imu["quaternion"] = state.quaternion
        imu["gyroscope"] = _within(state.angular_velocity, bounds.ANGULAR_VELOCITY)
        imu["accelerometer"] = _within(state.acceleration, bounds.ACCELERATION)
        frame["foot_force"] = _within(state.foot_force, 32767.0)[FOOT_ORDER]
        frame["tick"] = state.tick & 0xFFFFFFFF
        frame["remote"] = np.frombuffer(state.remote, "u1", REMOTE_BYTES)
        return _sealed(frame)

    def parse_state(self, data: bytes) -> State:
        """The state in a packet, or `Refused` with the reason.

        Only what is read is judged: the eight unused motors and the reserved bytes may hold anything.
        """
        frame = self._open(data, self.state)
        motors, imu = frame["motors"][0, :JOINTS], frame["imu"][0]
        q, dq, torque = motors["q"], motors["dq"], motors["tau"] / tables.TAU_UNIT
        bounds.check("joint position", q, bounds.POSITION)
        bounds.check("joint velocity", dq, bounds.VELOCITY)
        bounds.check("joint torque", torque, bounds.TORQUE)
        bounds.check_imu(imu["quaternion"], imu["gyroscope"], imu["accelerometer"], imu["rpy"])
        return State(
            joint_pos=q[JOINT_ORDER].astype(np.float64),
            joint_vel=dq[JOINT_ORDER].astype(np.float64),
            joint_torque=torque[JOINT_ORDER],
            quaternion=imu["quaternion"].astype(np.float64),
            angular_velocity=imu["gyroscope"].astype(np.float64),
            acceleration=imu["accelerometer"].astype(np.float64),
            tick=int(frame["tick"][0]),
            temperature=motors["temperature"][JOINT_ORDER].astype(np.float64),
            foot_force=frame["foot_force"][0, FOOT_ORDER].astype(np.float64),
            remote=frame["remote"].tobytes(),
        )

    @cached_property
    def _blank_command(self) -> Record:
        """A command that does nothing: every motor a servo without set point or gain, as Unitree's own."""
        frame = self._blank(self.command)
        frame["motors"]["mode"] = tables.SERVO
        frame["motors"]["q"] = POS_STOP
        frame["motors"]["dq"] = VEL_STOP
        return frame

    def _blank(self, table: np.dtype[Any]) -> Record:
        """A frame of zeros with its head."""
        return np.frombuffer(self.head.ljust(table.itemsize, b"\0"), table).copy()

    def _open(self, data: bytes, table: np.dtype[Any]) -> Record:
        """The frame in `data`, once its length, head and checksum are right."""
        if len(data) != table.itemsize:
            raise Refused(f"a packet of {len(data)} bytes instead of {table.itemsize}")
        if not data.startswith(self.head):
            raise Refused(f"a packet that does not begin with {self.head.hex()}")
        if int.from_bytes(data[-4:], "little") != crc32(data, covered_words(len(data))):
            raise Refused("a packet with a wrong checksum")
        return np.frombuffer(data, table)


def _fixed(values: NDArray[np.float64], unit: float) -> NDArray[np.int32]:
    """Fixed-point numbers in wire order, truncated towards zero as Unitree's library does, in float32."""
    return np.trunc(values[JOINT_ORDER].astype(np.float32) * np.float32(unit)).astype(np.int32)


def _within(values: NDArray[np.float64], bound: float) -> NDArray[np.float64]:
    return bounds.clip(values, -bound, bound)


def _sealed(frame: Record) -> bytes:
    """Bytes of a frame with its checksum at the end."""
    data = frame.tobytes()
    return data[:-4] + crc32(data, covered_words(len(data))).to_bytes(4, "little")


A1 = Frames(tables.A1_COMMAND, tables.A1_STATE, head=bytes([tables.LOW_LEVEL]))
GO1 = Frames(tables.GO1_COMMAND, tables.GO1_STATE, head=bytes([0xFE, 0xEF, tables.LOW_LEVEL]))

FRAMES = {"a1": A1, "aliengo": A1, "go1": GO1}
"""Frames by the name of the robot; A1 and Aliengo speak alike byte for byte."""
