"""The frames of Unitree's low-level UDP protocol as tables: type, name and place of every byte.

Little-endian, packed. On the wire tau, Kp and Kd are 16-bit fixed point, so the frames are shorter than
the structures of the same name in Unitree's C++ headers. Source: frames exchanged with Unitree's own
libraries on loopback (unitree_legged_sdk v3.2, v3.3.1, v3.8.4 and v3.8.6); see docs/deploy.md.
"""

import numpy as np

MOTORS = 20
"""Motor slots in a frame; a quadruped uses the first twelve."""

POS_STOP = np.float32(2.146e9)
"""Position that means: no position control."""
VEL_STOP = np.float32(16000.0)
"""Velocity that means: no velocity control."""

SERVO, OFF = 0x0A, 0x00
"""Motor modes."""
LOW_LEVEL = 0xFF

TAU_UNIT, KP_UNIT, KD_UNIT = 256.0, 32.0, 16.0
"""Steps per Nm, per Nm/rad and per Nm s/rad of the fixed-point fields."""

JOINT_ORDER = np.array([3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8])
"""Place on the wire (FR, FL, RR, RL) of each joint of this project (FL, FR, RL, RR), and the reverse."""
FOOT_ORDER = np.array([1, 0, 3, 2])

MOTOR_COMMAND = np.dtype(
    [
        ("mode", "u1"),
        ("q", "<f4"),
        ("dq", "<f4"),
        ("tau", "<i2"),
        ("kp", "<u2"),
        ("kd", "<u2"),
        ("reserve", "<u4", 3),
    ]
)
MOTOR_STATE = np.dtype(
    [
        ("mode", "u1"),
        ("q", "<f4"),
        ("dq", "<f4"),
        ("ddq", "<i2"),
        ("tau", "<i2"),
        ("q_raw", "<f4"),
        ("dq_raw", "<f4"),
        ("ddq_raw", "<i2"),
        ("temperature", "i1"),
        ("reserve", "<u4", 2),
    ]
)
IMU = np.dtype(
    [
        ("quaternion", "<f4", 4),
        ("gyroscope", "<f4", 3),
        ("accelerometer", "<f4", 3),
        ("rpy", "<f4", 3),
        ("temperature", "i1"),
    ]
)
BATTERY = np.dtype(
    [
        ("version", "u1", 2),
        ("status", "u1"),
        ("charge", "u1"),
        ("current", "<i4"),
        ("cycle", "<u2"),
        ("temperature", "i1", 4),
        ("cell_voltage", "u1", 10),
    ]
)

_A1_HEAD = [("level", "u1"), ("version", "<u2"), ("robot_id", "<u2"), ("sn", "<u4"), ("bandwidth", "u1")]
_GO1_HEAD = [
    ("head", "u1", 2),
    ("level", "u1"),
    ("frame_reserve", "u1"),
    ("sn", "<u4", 2),
    ("version", "<u4", 2),
    ("bandwidth", "<u2"),
]
_FEET = [("foot_force", "<i2", 4), ("foot_force_estimate", "<i2", 4), ("tick", "<u4")]
_TAIL = [("remote", "u1", 40), ("reserve", "<u4"), ("crc", "<u4")]

A1_COMMAND = np.dtype([*_A1_HEAD, ("motors", MOTOR_COMMAND, MOTORS), ("led", "u1", 12), *_TAIL])
A1_STATE = np.dtype([*_A1_HEAD, ("imu", IMU), ("motors", MOTOR_STATE, MOTORS), *_FEET, *_TAIL])
GO1_COMMAND = np.dtype([*_GO1_HEAD, ("motors", MOTOR_COMMAND, MOTORS), ("battery", "u1", 4), *_TAIL])
GO1_STATE = np.dtype([*_GO1_HEAD, ("imu", IMU), ("motors", MOTOR_STATE, MOTORS), ("battery", BATTERY), *_FEET, *_TAIL])
