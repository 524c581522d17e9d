"""The robot's end of Unitree's UDP protocol, on loopback alone: commands in, states out, over a bad network."""

import socket
from collections.abc import Iterator

import numpy as np

from him.deploy.messages import Command, State
from him.deploy.wire import FRAMES, Frames, Refused
from him.errors import HimError
from him.fake.path import Path

HOST = "127.0.0.1"
"""A fake robot is for this machine: it must not answer on a network where a real one might."""


class UdpEnd:
    """Answers whoever sent the last command, as the robots do; nobody hears from it before."""

    def __init__(self, frames: Frames, port: int, latency: float, loss: float, rng: np.random.Generator) -> None:
        self._frames = frames
        self.commands, self.states = Path(latency, loss, rng), Path(latency, loss, rng)
        self.refused = 0
        self.last_refusal = ""
        self._peer: tuple[str, int] | None = None
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        try:
            self._socket.bind((HOST, port))
        except (OSError, OverflowError) as error:
            self._socket.close()
            raise HimError(f"cannot listen on {HOST}:{port}: {error}; choose another --port") from None

    @property
    def port(self) -> int:
        """The port listened on."""
        return int(self._socket.getsockname()[1])

    def hear(self, now: float) -> Command | None:
        """The newest believable command that has arrived, or None."""
        for packet in self._waiting():
            self.commands.put(packet, now)
        newest = None
        for packet in self.commands.take(now):
            try:
                newest = self._frames.parse_command(packet)
            except Refused as refusal:
                self.refused += 1
                self.last_refusal = str(refusal)
        return newest

    def tell(self, state: State, now: float) -> None:
        """Send a state off; it leaves after the way's latency."""
        if self._peer is None:
            return
        self.states.put(self._frames.pack_state(state), now)
        for packet in self.states.take(now):
            try:
                self._socket.sendto(packet, self._peer)
            except OSError:
                self.states.lost += 1

    def _waiting(self) -> Iterator[bytes]:
        while True:
            try:
                packet, self._peer = self._socket.recvfrom(2048)
            except (BlockingIOError, ConnectionRefusedError):
                return
            yield packet

    def close(self) -> None:
        self._socket.close()


def frames_of(robot: str, wire: str | None = None) -> Frames:
    """The frames a robot speaks; `wire` names another robot's, for one of one's own."""
    spoken = wire or robot
    if spoken == "go2":
        raise HimError("a Go2 speaks DDS, and the fake robot UDP alone; fake one of: " + ", ".join(FRAMES))
    if spoken not in FRAMES:
        raise HimError(f"{spoken} has no frames of its own; name those it speaks with --wire: {', '.join(FRAMES)}")
    return FRAMES[spoken]
