"""Drive from a terminal.

A terminal reports keys pressed, not keys held, so speeds stay until changed, and the operator counts as
present as long as the terminal is open. A gamepad or a remote control is the safer choice.
"""

import contextlib
import os
import re
import select
import sys
import termios
import tty
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from him.deploy.messages import State
from him.deploy.operator.intent import Intent
from him.deploy.states import Request

STEP = 0.1
"""Speed change of one key press, m/s or rad/s."""

MOVES = {"w": (0, STEP), "s": (0, -STEP), "q": (1, STEP), "e": (1, -STEP), "a": (2, STEP), "d": (2, -STEP)}
REQUESTS = {
    "1": Request.STAND,
    "2": Request.WALK,
    "3": Request.SIT,
    " ": Request.DAMPING,
    "r": Request.RESTART,
    "\x1b": Request.QUIT,
}
SEQUENCE = re.compile(r"\x1b(?:[\[O][0-9;]*[A-Za-z~]|[A-Za-z])")
"""What a terminal sends for arrows, function keys, and letters pressed with Alt."""
BEGINNING = re.compile(r"\x1b(?:[\[O][0-9;]*)?$")

HELP = (
    "1 stand, 2 walk, 3 sit, SPACE damping, r restart, ESC quit\n"
    "w/s forward and back, q/e left and right, a/d turn, x no speed"
)


class Keyboard:
    """Reads single keys without waiting."""

    def __init__(self, descriptor: int | None = None, ranges: ArrayLike = ((-np.inf, np.inf),) * 3) -> None:
        self._low, self._high = np.asarray(ranges, dtype=np.float64).T
        self._descriptor = sys.stdin.fileno() if descriptor is None else descriptor
        self._command = np.zeros(3)
        self._open = True
        self._begun = ""
        self._before: list[Any] | None = None
        if os.isatty(self._descriptor):
            self._before = termios.tcgetattr(self._descriptor)
            tty.setcbreak(self._descriptor)
            mode = termios.tcgetattr(self._descriptor)
            mode[0] &= ~termios.IXON  # else Ctrl-S, beside the s, would hold the terminal
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, mode)

    def poll(self, state: State | None) -> Intent | None:
        request = Request.NONE
        for key in self._keys():
            wanted = REQUESTS.get(key, Request.NONE)
            request = Request.DAMPING if Request.DAMPING in (wanted, request) else wanted or request
            if key in MOVES:
                axis, change = MOVES[key]
                speed = round(self._command[axis] + change, 6)
                self._command[axis] = min(max(speed, self._low[axis]), self._high[axis])
            if key == "x" or wanted != Request.NONE:
                self._command[:] = 0.0
        return Intent(self._command.copy(), request) if self._open else None

    def _keys(self) -> str:
        """Keys pressed since the last call; the end of the input closes the keyboard for good.

        Arrows and the like begin as the key ESC does. What may be the beginning of one waits for the next call.
        """
        text, self._begun = self._begun, ""
        if self._open and select.select([self._descriptor], [], [], 0.0)[0]:
            try:
                data = os.read(self._descriptor, 64)
            except OSError:
                data = b""
            self._open = bool(data)
            text = SEQUENCE.sub("", text + data.decode(errors="ignore"))
            if data and (unfinished := BEGINNING.search(text)):
                self._begun, text = unfinished.group(), text[: unfinished.start()]
        return text.lower()

    def close(self) -> None:
        if self._before is not None:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)
