"""The Go2's command as the C structure its checksum is taken over; the packet itself goes out through DDS.

The image has C's natural alignment: 812 bytes, 202 words checked. The bytes C leaves between fields are
fields here, because NumPy copies fields alone and the checksum covers what lies between them too.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from him.deploy.messages import JOINTS, Command
from him.deploy.wire import bounds
from him.deploy.wire.crc import covered_words, crc32
from him.deploy.wire.tables import JOINT_ORDER, LOW_LEVEL, MOTORS, POS_STOP, VEL_STOP

SERVO, OFF = 0x01, 0x00
"""Motor modes; they differ from those of the older robots."""
HEAD = (0xFE, 0xEF)

MOTOR = np.dtype(
    [
        ("mode", "u1"),
        ("gap", "u1", 3),
        ("q", "<f4"),
        ("dq", "<f4"),
        ("tau", "<f4"),
        ("kp", "<f4"),
        ("kd", "<f4"),
        ("reserve", "<u4", 3),
    ]
)
COMMAND = np.dtype(
    [
        ("head", "u1", 2),
        ("level_flag", "u1"),
        ("frame_reserve", "u1"),
        ("sn", "<u4", 2),
        ("version", "<u4", 2),
        ("bandwidth", "<u2"),
        ("gap", "u1", 2),
        ("motor_cmd", MOTOR, MOTORS),
        ("bms_cmd", "u1", 4),
        ("wireless_remote", "u1", 40),
        ("led", "u1", 12),
        ("fan", "u1", 2),
        ("gpio", "u1"),
        ("gap_after_gpio", "u1"),
        ("reserve", "<u4"),
        ("crc", "<u4"),
    ]
)

_BLANK = np.zeros(1, COMMAND)
_BLANK["head"] = HEAD
_BLANK["level_flag"] = LOW_LEVEL
_BLANK["motor_cmd"]["mode"] = SERVO
_BLANK["motor_cmd"]["q"] = POS_STOP
_BLANK["motor_cmd"]["dq"] = VEL_STOP


def image(command: Command) -> NDArray[Any]:
    """The command's C structure, one record of `COMMAND`, clamped and with its checksum."""
    safe = bounds.clamped(command)
    record = _BLANK.copy()
    motors = record["motor_cmd"][0, :JOINTS]
    if safe.servo:
        motors["q"] = np.where(safe.kp > 0.0, safe.q, POS_STOP)[JOINT_ORDER]
        motors["dq"] = np.where(safe.kd > 0.0, safe.dq, VEL_STOP)[JOINT_ORDER]
        motors["tau"] = safe.tau[JOINT_ORDER]
        motors["kp"] = safe.kp[JOINT_ORDER]
        motors["kd"] = safe.kd[JOINT_ORDER]
    else:
        motors["mode"] = OFF
    record["crc"] = crc32(record.tobytes(), covered_words(COMMAND.itemsize))
    return record
