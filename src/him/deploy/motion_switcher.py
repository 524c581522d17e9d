"""Releases the Go2's built-in controller, which would otherwise publish to the same topic and fight."""

import itertools
import json
import time
from typing import Any

from him.deploy import dds_types
from him.deploy.dds_bus import Bus
from him.errors import HimError

types: Any = dds_types

CHECK_MODE, RELEASE_MODE = 1001, 1003
"""Calls of the robot's service `motion_switcher`, version 1.0.0.1."""
ANSWER_TIMEOUT = 2.0
"""Seconds to wait for an answer."""
RELEASES = 5
"""Tries before giving up; the robot may need several seconds to lie down first."""


class MotionSwitcher:
    """Client of the service."""

    def __init__(self, bus: Bus) -> None:
        self._requests = bus.writer("rt/api/motion_switcher/request", types.Request)
        self._responses = bus.reader("rt/api/motion_switcher/response", types.Response, depth=8)
        self._ids = itertools.count(time.time_ns())

    def release(self, pause: float = 2.0) -> str:
        """Release whatever mode is active; returns the name of the one released, empty if there was none."""
        released = ""
        for _ in range(RELEASES):
            name = self._active()
            if not name:
                return released
            released = name
            self._call(RELEASE_MODE)
            time.sleep(pause)
        raise HimError(f"the Go2 keeps its built-in controller {released!r}; switch it off in the app")

    def _active(self) -> str:
        """Name of the robot's active built-in mode."""
        data = self._call(CHECK_MODE)
        try:
            return str(json.loads(data).get("name") or "")
        except (ValueError, AttributeError):
            raise HimError(f"the Go2's motion switcher answered {data!r}, which cannot be read") from None

    def _call(self, api: int) -> str:
        """Ask and wait for the answer."""
        identity = types.RequestIdentity(next(self._ids), api)
        header = types.RequestHeader(identity, types.RequestLease(0), types.RequestPolicy(0, False))
        end = time.monotonic() + ANSWER_TIMEOUT
        sent = 0.0
        while time.monotonic() < end:
            if time.monotonic() - sent > 0.5 * ANSWER_TIMEOUT:
                self._requests.write(types.Request(header, "", []))
                sent = time.monotonic()
            for answer in self._responses.take(8):
                if _answers(answer, identity.id):
                    if answer.header.status.code != 0:
                        raise HimError(f"the Go2's motion switcher refused call {api}: {answer.header.status.code}")
                    return str(answer.data)
            time.sleep(0.005)
        raise HimError("the Go2's motion switcher does not answer: is this the robot's network interface?")


def _answers(sample: Any, identity: int) -> bool:
    """Whether a sample is the answer to our call; samples without data only tell of a writer's end."""
    return isinstance(sample, types.Response) and sample.header.identity.id == identity
