"""What a fake robot tells about itself: one line for a person, one JSON object a moment for a program."""

import json
import math
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from him.deploy.messages import Command


class Mode(StrEnum):
    """What the motors do."""

    WAITING = "waiting"
    """No command has come yet: motors off."""
    OFF = "off"
    SERVO = "servo"
    """Motors hold positions."""
    DAMPING = "damping"
    """Motors brake, as commanded."""
    SILENCE = "silence"
    """Motors brake, because no command comes any more."""

    @classmethod
    def of(cls, command: Command) -> "Mode":
        """What a command makes of the motors."""
        if not command.servo:
            return cls.OFF
        return cls.SERVO if command.kp.any() else cls.DAMPING


@dataclass(frozen=True)
class Status:
    """A fake robot at one moment."""

    time: float
    """Seconds of its own world."""
    mode: Mode
    position: list[float]
    """Of the trunk, in metres."""
    distance: float
    """From where it started, along the ground."""
    tilt: float
    """Angle of the body to the vertical, rad."""
    speed: float
    """Of the trunk, m/s."""
    received: int
    sent: int
    """Packets that arrived and left."""
    lost: int
    """Packets that got lost, both ways together."""
    refused: int
    """Commands with a wrong length, head, checksum or value."""
    falls: int
    """Times it went down while the motors held positions; sitting down until the trunk rests counts too."""
    slipped: float
    """Seconds the machine was too slow to simulate."""

    def line(self) -> str:
        """For a person."""
        x, y, z = self.position
        slow = f", {self.slipped:.1f} s too slow" if self.slipped else ""
        return (
            f"{self.time:.1f} s {self.mode:<7} x {x:.2f} y {y:.2f} z {z:.2f} m tilt {math.degrees(self.tilt):.0f}°  "
            f"in {self.received} out {self.sent} lost {self.lost} refused {self.refused}{slow}"
        )


class Track:
    """Writes a status a moment to a file, one JSON object a line, readable while it grows."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("w", encoding="utf-8", buffering=1)

    def __call__(self, status: Status) -> None:
        self._file.write(json.dumps(asdict(status)) + "\n")

    def __enter__(self) -> "Track":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
