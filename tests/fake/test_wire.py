"""The robot's end of the protocol, heard by the controller's own link."""

import socket
from collections.abc import Iterator

import numpy as np
import pytest

from him.deploy.links import UdpLink
from him.deploy.messages import State, damping
from him.deploy.wire import FRAMES
from him.errors import HimError
from him.fake.wire import HOST, UdpEnd, frames_of


def state(tick: int) -> State:
    zeros = np.zeros(12)
    return State(zeros, zeros, zeros, np.array([1.0, 0.0, 0.0, 0.0]), zeros[:3], zeros[:3], tick=tick)


@pytest.fixture(params=["a1", "go1"])
def pair(request: pytest.FixtureRequest) -> Iterator[tuple[UdpEnd, UdpLink]]:
    end = UdpEnd(FRAMES[request.param], 0, 0.004, 0.0, np.random.default_rng(0))
    link = UdpLink(FRAMES[request.param], HOST, end.port)
    yield end, link
    end.close()
    link.close()


def test_nobody_hears_of_it_before_the_first_command(pair: tuple[UdpEnd, UdpLink]) -> None:
    end, link = pair
    assert end.hear(0.0) is None
    end.tell(state(1), 0.0)
    end.tell(state(2), 0.01)
    assert link.receive() is None
    assert end.states.carried == 0


def test_packets_take_their_time_both_ways(pair: tuple[UdpEnd, UdpLink]) -> None:
    end, link = pair
    link.send(damping(3.0))
    assert end.hear(0.000) is None
    assert end.hear(0.002) is None
    command = end.hear(0.004)
    assert command is not None
    assert command.kd.tolist() == [3.0] * 12
    ticks = []
    for tick in range(5):
        end.tell(state(tick), 0.002 * tick)
        heard = link.receive()
        ticks.append(None if heard is None else heard.tick)
    assert ticks == [None, None, 0, 1, 2]


def test_bad_commands_are_refused_and_counted(pair: tuple[UdpEnd, UdpLink]) -> None:
    end, _ = pair
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.sendto(b"noise", (HOST, end.port))
        assert end.hear(0.0) is None
        assert end.hear(0.1) is None
    assert end.refused == 1
    assert "5 bytes" in end.last_refusal


def test_it_listens_on_loopback_alone() -> None:
    end = UdpEnd(FRAMES["a1"], 0, 0.0, 0.0, np.random.default_rng(0))
    assert end._socket.getsockname()[0] == "127.0.0.1"
    with pytest.raises(HimError, match=f"cannot listen on 127.0.0.1:{end.port}.*--port"):
        UdpEnd(FRAMES["a1"], end.port, 0.0, 0.0, np.random.default_rng(0))
    end.close()


def test_robots_speak_their_frames_and_others_are_told_what_to_do() -> None:
    assert frames_of("aliengo") is FRAMES["aliengo"]
    assert frames_of("rover", "go1") is FRAMES["go1"]
    with pytest.raises(HimError, match="a Go2 speaks DDS"):
        frames_of("go2")
    with pytest.raises(HimError, match="--wire: a1, aliengo, go1"):
        frames_of("rover")
