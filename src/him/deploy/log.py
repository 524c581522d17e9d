"""A log of every cycle: a header of JSON and fixed-size records of 16-bit numbers, 80 kB a second.

Records go to the file in small batches, so a log is readable after a crash up to the last tenth of a second;
a record cut short at the end is ignored.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from him.deploy.messages import JOINTS, Command, State
from him.deploy.safety import Fault
from him.deploy.states import Mode
from him.errors import HimError
from him.policy import Decision

MAGIC = b"HIMLOG1\n"
BATCH = 50
"""Records written at once: a tenth of a second at 500 Hz."""
MISSING = -32768
"""Stands for a number that is not there or not finite."""

COLUMNS = (
    ("command", 3, 1e-3),
    ("quaternion", 4, 5e-5),
    ("angular_velocity", 3, 2e-3),
    ("joint_pos", JOINTS, 2e-4),
    ("joint_vel", JOINTS, 4e-3),
    ("joint_torque", JOINTS, 4e-3),
    ("target", JOINTS, 2e-4),
    ("action", JOINTS, 4e-3),
    ("velocity", 3, 1e-3),
)
"""Name, size and step of each fixed-point column; largest value = 32767 steps."""

RECORD = np.dtype(
    [
        ("time", "<f8"),
        ("mode", "u1"),
        ("fault", "u1"),
        ("fresh", "?"),
        ("refused", "<u4"),
        *[(name, "<i2", size) for name, size, _ in COLUMNS],
    ]
)


WIDTH = sum(size for _, size, _ in COLUMNS)
STEPS = np.concatenate([np.full(size, step) for _, size, step in COLUMNS])
NOTHING = {size: np.full(size, np.nan) for _, size, _ in COLUMNS}
"""What stands in a column for a value that is not there, by size."""


class Cycle(NamedTuple):
    """What the controller knows at the end of a cycle."""

    time: float
    mode: Mode
    fault: Fault
    fresh: bool
    refused: int
    wanted: NDArray[np.float64]
    state: State | None
    command: Command
    decision: Decision


class Log:
    """Writes cycles to a file."""

    def __init__(self, path: Path, about: dict[str, Any] | None = None) -> None:
        """Start a new log; `about` (robot, policy, link, ...) goes into its header."""
        header = {
            "about": about or {},
            "record_bytes": RECORD.itemsize,
            "columns": COLUMNS,
            "modes": {mode.value: mode.name for mode in Mode},
            "faults": {fault.value: fault.name for fault in Fault},
        }
        text = json.dumps(header).encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("wb")
        self._file.write(MAGIC + len(text).to_bytes(4, "little") + text)
        self._file.flush()
        self._batch = np.zeros(BATCH, RECORD)
        self._values = np.zeros((BATCH, WIDTH))
        self._count = 0
        self._mode = Mode.PASSIVE

    def write(self, cycle: Cycle) -> None:
        """Add a cycle; a change of mode goes to the file at once."""
        state, row = cycle.state, self._batch[self._count]
        row["time"], row["mode"], row["fault"] = cycle.time, cycle.mode, cycle.fault
        row["fresh"], row["refused"] = cycle.fresh, cycle.refused
        walking = cycle.mode == Mode.WALK
        values = (
            cycle.wanted,
            state.quaternion if state else None,
            state.angular_velocity if state else None,
            state.joint_pos if state else None,
            state.joint_vel if state else None,
            state.joint_torque if state else None,
            cycle.command.q if cycle.command.kp.any() else None,
            cycle.decision.action if walking else None,
            cycle.decision.velocity if walking else None,
        )
        filled = [NOTHING[size] if v is None else v for v, (_, size, _) in zip(values, COLUMNS, strict=True)]
        np.concatenate(filled, out=self._values[self._count])
        self._count += 1
        if self._count == BATCH or cycle.mode != self._mode:
            self._mode = cycle.mode
            self.flush()

    def flush(self) -> None:
        """Hand the records so far to the operating system; turned into steps all at once, which is faster."""
        batch, steps, place = self._batch[: self._count], _steps(self._values[: self._count]), 0
        for name, size, _ in COLUMNS:
            batch[name], place = steps[:, place : place + size], place + size
        self._file.write(batch.tobytes())
        self._file.flush()
        self._count = 0

    def close(self) -> None:
        """Write what is left."""
        self.flush()
        self._file.close()


@dataclass(frozen=True)
class Recording:
    """A log read back."""

    about: dict[str, Any]
    time: NDArray[np.float64]
    mode: NDArray[np.uint8]
    fault: NDArray[np.uint8]
    fresh: NDArray[np.bool_]
    refused: NDArray[np.uint32]
    columns: dict[str, NDArray[np.float64]]
    """The columns of `COLUMNS` in SI units; NaN where there was nothing."""


def read(path: Path) -> Recording:
    """Read a log, also one that ended in a crash."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise HimError(f"cannot read the log {path}: {error.strerror}") from None
    start = len(MAGIC) + 4
    if not data.startswith(MAGIC) or len(data) < start:
        raise HimError(f"{path} is not a log of `him deploy run`")
    body = start + int.from_bytes(data[len(MAGIC) : start], "little")
    try:
        header = json.loads(data[start:body])
        same = header["record_bytes"] == RECORD.itemsize and header["columns"] == [list(c) for c in COLUMNS]
    except (ValueError, KeyError, TypeError):
        raise HimError(f"the header of {path} is damaged") from None
    if not same:
        raise HimError(f"{path} was written by another release, with other columns")
    records = np.frombuffer(data, RECORD, (len(data) - body) // RECORD.itemsize, body)
    columns = {name: np.where(records[name] == MISSING, np.nan, records[name] * step) for name, _, step in COLUMNS}
    plain = {name: records[name] for name in ("time", "mode", "fault", "fresh", "refused")}
    return Recording(about=header["about"], columns=columns, **plain)


def _steps(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values in whole steps, cut off at the ends, with the mark for what is not finite."""
    steps = np.rint(values / STEPS)
    return np.where(np.isfinite(steps), np.minimum(np.maximum(steps, -32767.0), 32767.0), MISSING)
