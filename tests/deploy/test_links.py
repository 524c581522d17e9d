import socket
import time

import numpy as np
import pytest

from him.deploy import UdpLink, messages, open_link
from him.deploy.messages import Command, State
from him.deploy.wire import FRAMES
from him.errors import HimError


class Robot:
    """The robot's end of a UDP link on loopback."""

    def __init__(self, frames) -> None:
        self.frames = frames
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(2.0)
        self.port = self.socket.getsockname()[1]

    def hear(self) -> Command:
        data, self.peer = self.socket.recvfrom(2048)
        return self.frames.parse_command(data)

    def say(self, data: bytes) -> None:
        self.socket.sendto(data, self.peer)


@pytest.fixture(params=["a1", "aliengo", "go1"])
def pair(request):
    robot = Robot(FRAMES[request.param])
    link = open_link(f"udp:127.0.0.1:{robot.port}", request.param)
    yield robot, link
    link.close()
    robot.socket.close()


def state(tick: int) -> State:
    zeros = np.zeros(12)
    level = np.array([1.0, 0.0, 0.0, 0.0])
    return State(np.arange(12) / 10, zeros, zeros, level, np.zeros(3), np.zeros(3), tick=tick)


def received(link: UdpLink) -> State | None:
    """What the link gives once the packets have passed the loopback device."""
    time.sleep(0.02)
    return link.receive()


def test_commands_and_states_pass(pair):
    robot, link = pair
    link.send(messages.damping(3.0))
    assert robot.hear().kd.tolist() == [3.0] * 12
    assert link.receive() is None
    for tick in (1, 2, 3):
        robot.say(robot.frames.pack_state(state(tick)))
    newest = received(link)
    assert newest.tick == 3
    np.testing.assert_allclose(newest.joint_pos, np.arange(12) / 10, atol=1e-6)
    assert link.receive() is None


def test_refused_packets_are_counted_and_good_ones_pass(pair):
    robot, link = pair
    link.send(messages.off())
    robot.hear()
    good = robot.frames.pack_state(state(1))
    for packet in (b"", b"hello", good[:-1] + bytes([good[-1] ^ 1]), good + b"x", good):
        robot.say(packet)
    assert received(link).tick == 1
    assert link.refused == 4


def test_strangers_are_not_heard(pair):
    robot, link = pair
    link.send(messages.off())
    robot.hear()
    stranger = Robot(robot.frames)
    stranger.peer = ("127.0.0.1", link.local_port)
    stranger.say(robot.frames.pack_state(state(1)))
    assert received(link) is None
    stranger.socket.close()


def test_nobody_listening_is_silence_not_an_error():
    free = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
    free.close()
    link = open_link(f"udp:127.0.0.1:{port}", "a1")
    for _ in range(5):
        link.send(messages.off())
        assert received(link) is None
    link.close()


@pytest.mark.parametrize(
    ("address", "robot", "words"),
    [
        ("udp:8007", "a1", "udp:HOST:PORT"),
        ("udp:127.0.0.1:0", "a1", "udp:HOST:PORT"),
        ("udp:127.0.0.1:99999", "a1", "udp:HOST:PORT"),
        ("udp:127.0.0.1:8007", "go2", "does not speak UDP"),
        ("dds:lo", "a1", "does not speak DDS"),
        ("serial:0", "a1", "a link is"),
        ("", "a1", "a link is"),
    ],
)
def test_wrong_address_is_refused_with_a_hint(address, robot, words):
    with pytest.raises(HimError, match=words):
        open_link(address, robot)


def test_own_robot_speaks_the_wire_it_names():
    link = open_link("udp:127.0.0.1:8007", "rover", wire="go1")
    assert isinstance(link, UdpLink)
    link.close()
    with pytest.raises(HimError, match="rover does not speak UDP"):
        open_link("udp:127.0.0.1:8007", "rover")
