"""Links to a robot: commands out, states in."""

import contextlib
import socket
from typing import Protocol

from him.deploy.messages import Command, State
from him.deploy.wire import FRAMES, Frames, Refused
from him.errors import HimError


class Link(Protocol):
    """What a controller needs of a robot, real or simulated."""

    @property
    def refused(self) -> int:
        """State packets refused so far."""

    def send(self, command: Command) -> None:
        """Hand a command to the robot; raises OSError when the link is broken."""

    def receive(self) -> State | None:
        """The newest believable state since the last call, or None; never waits."""

    def close(self) -> None:
        """Let go of the robot."""


class UdpLink:
    """A1, Aliengo and Go1 over UDP. The socket is connected: only the robot's own packets are heard."""

    def __init__(self, frames: Frames, host: str, port: int, local_port: int = 0) -> None:
        self._frames = frames
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self.refused = 0
        self.last_refusal = ""
        try:
            self._socket.bind(("", local_port))
            self._socket.connect((host, port))
        except OSError as error:
            self._socket.close()
            raise HimError(f"cannot reach {host}:{port} from local port {local_port}: {error}") from None

    @property
    def local_port(self) -> int:
        """The port the robot answers to."""
        return int(self._socket.getsockname()[1])

    def send(self, command: Command) -> None:
        packet = self._frames.pack_command(command)
        # A full buffer is a lost packet; a refusal means nobody listens yet, which silence will show.
        with contextlib.suppress(BlockingIOError, ConnectionRefusedError):
            self._socket.send(packet)

    def receive(self) -> State | None:
        newest = None
        while (packet := self._read()) is not None:
            try:
                newest = self._frames.parse_state(packet)
            except Refused as refusal:
                self.refused += 1
                self.last_refusal = str(refusal)
        return newest

    def _read(self) -> bytes | None:
        """One waiting packet, or None. A packet longer than any frame is cut, and so refused."""
        try:
            return self._socket.recv(2048)
        except (BlockingIOError, ConnectionRefusedError):
            return None

    def close(self) -> None:
        self._socket.close()


def open_link(address: str, robot: str, local_port: int = 0, wire: str | None = None) -> Link:
    """A link from its address: `udp:HOST:PORT`, or `dds:INTERFACE` for a Go2.

    There is no default address: a controller must never drive a robot that nobody named. `wire` names the
    robot whose packets to speak, for a robot of one's own.
    """
    kind, _, rest = address.partition(":")
    spoken = wire or robot
    if kind == "udp":
        host, _, port = rest.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise HimError(f"a UDP link is written udp:HOST:PORT, as in udp:127.0.0.1:8007, not {address!r}")
        if spoken not in FRAMES:
            raise HimError(f"{spoken} does not speak UDP; {', '.join(FRAMES)} do, and go2 needs dds:INTERFACE")
        return UdpLink(FRAMES[spoken], host, int(port), local_port)
    if kind == "dds" and rest:
        if spoken != "go2":
            raise HimError(f"{spoken} does not speak DDS; only go2 does")
        from him.deploy import dds

        return dds.connect(rest)
    raise HimError(f"a link is udp:HOST:PORT or dds:INTERFACE, not {address!r}")
