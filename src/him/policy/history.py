"""The last few frames, newest first."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from him.policy.terms import FRAME_SIZE, HISTORY_LENGTH


class History:
    """A stack of frames (length, 45) with the newest at index 0.

    The first frame after a reset fills the whole stack, as at the start of a training episode, so that
    nothing of an earlier walk leaks into the next and the network never sees a mixture of zeros and frames.
    """

    def __init__(self, length: int = HISTORY_LENGTH, size: int = FRAME_SIZE) -> None:
        self._frames = np.zeros((length, size), dtype=np.float32)
        self._empty = True

    def reset(self) -> None:
        """Forget everything: the next frame fills the stack."""
        self._empty = True

    def push(self, frame: ArrayLike) -> NDArray[np.float32]:
        """Add the newest frame and return the stack (a copy)."""
        if self._empty:
            self._frames[:] = frame
            self._empty = False
        else:
            self._frames[1:] = self._frames[:-1].copy()
            self._frames[0] = frame
        return self._frames.copy()
