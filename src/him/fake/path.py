"""One direction of a bad network."""

from collections import deque

import numpy as np


class Path:
    """Carries packets, late, and loses some of them. It keeps their order, as one cable does."""

    def __init__(self, latency: float, loss: float, rng: np.random.Generator) -> None:
        """`latency` in seconds on the way, `loss` as the share of packets that never arrive."""
        self._latency, self._loss, self._rng = latency, loss, rng
        self._travelling: deque[tuple[float, bytes]] = deque()
        self.carried = 0
        self.lost = 0

    def put(self, packet: bytes, now: float) -> None:
        """Send a packet off."""
        if self._rng.random() < self._loss:
            self.lost += 1
        else:
            self._travelling.append((now + self._latency, packet))

    def take(self, now: float) -> list[bytes]:
        """What has arrived by now, oldest first."""
        arrived = []
        while self._travelling and self._travelling[0][0] <= now + 1e-9:
            arrived.append(self._travelling.popleft()[1])
        self.carried += len(arrived)
        return arrived
