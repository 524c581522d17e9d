"""Drive with a gamepad through Linux's joystick device (/dev/input/js0), in the layout of an Xbox pad."""

import contextlib
import os
import struct
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from him.deploy.messages import State
from him.deploy.operator.intent import Intent, from_sticks
from him.deploy.states import Request
from him.errors import HimError

EVENT = struct.Struct("<IhBB")
"""Time in ms, value, kind and number, as in the kernel's joystick interface."""
BUTTON, AXIS = 0x01, 0x02
STICKS = {1: (0, -1.0), 0: (1, -1.0), 3: (2, -1.0)}
"""Device axis: place in the command and sign. Left stick walks, right stick turns."""
BUTTONS = {
    0: Request.STAND,
    3: Request.WALK,
    1: Request.SIT,
    4: Request.DAMPING,
    5: Request.DAMPING,
    7: Request.RESTART,
}
HELP = "A stand, Y walk, B sit, LB or RB damping, START restart; left stick walks, right stick turns"


class Gamepad:
    """Reads joystick events without waiting; a pad that is unplugged is an operator lost."""

    def __init__(self, ranges: ArrayLike, device: str | int = "/dev/input/js0") -> None:
        self._ranges = ranges
        self._sticks = np.zeros(3)
        self._open = True
        try:
            self._descriptor = device if isinstance(device, int) else os.open(device, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            found = ", ".join(str(path) for path in sorted(Path("/dev/input").glob("js*"))) or "none"
            raise HimError(f"cannot open the gamepad {device}: {error.strerror}; found: {found}") from None
        os.set_blocking(self._descriptor, False)

    def poll(self, state: State | None) -> Intent | None:
        request = Request.NONE
        while (event := self._event()) is not None:
            value, kind, number = event
            if kind == BUTTON and value and request != Request.DAMPING:
                request = BUTTONS.get(number, request)
            elif kind & AXIS and number in STICKS:
                place, sign = STICKS[number]
                self._sticks[place] = sign * value / 32767.0
        return Intent(from_sticks(self._sticks, self._ranges), request) if self._open else None

    def _event(self) -> tuple[int, int, int] | None:
        """Value, kind and number of the next event, or None."""
        if not self._open:
            return None
        try:
            data = os.read(self._descriptor, EVENT.size)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        self._open = len(data) == EVENT.size
        return EVENT.unpack(data)[1:] if self._open else None

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._descriptor)
