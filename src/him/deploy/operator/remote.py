"""Drive with the robot's own remote control, whose state comes in every state packet."""

import struct

from numpy.typing import ArrayLike

from him.deploy.messages import REMOTE_BYTES, State
from him.deploy.operator.intent import Intent, from_sticks
from him.deploy.states import Request

LAYOUT = struct.Struct("<2xH5f16x")
"""Head, buttons, lx, rx, ry, L2, ly; the same on A1, Aliengo, Go1 and Go2 (Unitree's joystick header)."""
BITS = (
    "R1",
    "L1",
    "start",
    "select",
    "R2",
    "L2",
    "F1",
    "F2",
    "A",
    "B",
    "X",
    "Y",
    "up",
    "right",
    "down",
    "left",
)

COMBINATIONS = (
    ({"L2", "B"}, Request.DAMPING),
    ({"select"}, Request.DAMPING),
    ({"L1", "start"}, Request.RESTART),
    ({"A"}, Request.STAND),
    ({"start"}, Request.WALK),
    ({"X"}, Request.SIT),
)
"""Buttons held together, in order of precedence; L2+B stops in Unitree's own controllers too."""
HELP = "A stand, START walk, X sit, L2+B or SELECT damping, L1+START restart\nleft stick walks, right stick turns"


class Remote:
    """Reads the forty bytes of the remote. A remote that is switched off sends zeros: an operator lost."""

    def __init__(self, ranges: ArrayLike) -> None:
        self._ranges = ranges
        self._held = 0
        self._last: State | None = None

    def poll(self, state: State | None) -> Intent | None:
        if state is None or state is self._last or not any(state.remote):
            return None
        self._last = state
        buttons, lx, rx, _, _, ly = LAYOUT.unpack(state.remote[:REMOTE_BYTES])
        request = _request(buttons) if buttons != self._held else Request.NONE
        self._held = buttons
        return Intent(from_sticks((ly, -lx, -rx), self._ranges), request)

    def close(self) -> None:
        pass


def _request(buttons: int) -> Request:
    """What a set of buttons means."""
    held = {name for bit, name in enumerate(BITS) if buttons >> bit & 1}
    return next((request for keys, request in COMBINATIONS if keys <= held), Request.NONE)
