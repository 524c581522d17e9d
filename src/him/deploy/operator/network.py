"""Drive from another program: small UDP packets, at least three a second.

A packet is 20 bytes, little-endian: the four letters HIM1, the request as u32 (see `Request`: 0 none,
1 stand, 2 walk, 3 sit, 4 damping, 5 restart, 6 quit), and three f32: forward m/s, left m/s, turn rad/s.
"""

import math
import socket
import struct

import numpy as np
from numpy.typing import ArrayLike

from him.deploy.messages import State
from him.deploy.operator.intent import Intent
from him.deploy.states import Request
from him.errors import HimError

PACKET = struct.Struct("<4sI3f")
MAGIC = b"HIM1"


def pack(command: ArrayLike, request: Request = Request.NONE) -> bytes:
    """The packet for a command, for whoever sends them."""
    return PACKET.pack(MAGIC, request, *np.asarray(command, dtype=np.float64))


def parse(data: bytes) -> Intent | None:
    """The wish in a packet, or None if it is not one."""
    if len(data) != PACKET.size:
        return None
    magic, request, *command = PACKET.unpack(data)
    if magic != MAGIC or request > max(Request) or not all(map(math.isfinite, command)):
        return None
    return Intent(np.array(command), Request(request))


class Network:
    """Listens for command packets on a UDP port."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        try:
            self._socket.bind((host, port))
        except OSError as error:
            self._socket.close()
            raise HimError(f"cannot listen for the operator on {host}:{port}: {error.strerror}") from None

    @property
    def port(self) -> int:
        """The port listened on."""
        return int(self._socket.getsockname()[1])

    def poll(self, state: State | None) -> Intent | None:
        """The newest packet's wish; a request in an earlier one of the same moment is not lost."""
        newest, request = None, Request.NONE
        while (data := self._read()) is not None:
            if (intent := parse(data)) is not None:
                newest = intent
                if request != Request.DAMPING and intent.request != Request.NONE:
                    request = intent.request
        return None if newest is None else Intent(newest.command, request)

    def _read(self) -> bytes | None:
        try:
            return self._socket.recv(PACKET.size + 1)
        except BlockingIOError:
            return None

    def close(self) -> None:
        self._socket.close()
