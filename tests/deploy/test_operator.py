import os
import socket
import struct
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from him.deploy.messages import State
from him.deploy.operator import Gamepad, Keyboard, Network, Remote, network, open_operator
from him.deploy.operator.intent import from_sticks
from him.deploy.states import Request
from him.errors import HimError

RANGES = ((-1.0, 2.0), (-0.5, 0.5), (-1.5, 1.5))


@pytest.fixture
def pipe():
    reader, writer = os.pipe()
    yield reader, writer
    for end in (reader, writer):
        try:
            os.close(end)
        except OSError:
            continue


def test_sticks_fill_the_policy_s_ranges():
    assert from_sticks([1.0, -1.0, 0.5], RANGES).tolist() == [2.0, -0.5, 0.75]
    assert from_sticks([-1.0, 0.0, 0.0], RANGES).tolist() == [-1.0, 0.0, 0.0]
    assert from_sticks([0.04, -0.04, np.nan], RANGES).tolist() == [0.0, 0.0, 0.0]
    assert from_sticks([7.0, -7.0, np.inf], RANGES).tolist() == [2.0, -0.5, 0.0]


def test_keyboard_changes_speeds_and_asks(pipe):
    reader, writer = pipe
    keyboard = Keyboard(reader)
    assert keyboard.poll(None).request == Request.NONE
    os.write(writer, b"wwqd")
    np.testing.assert_allclose(keyboard.poll(None).command, [0.2, 0.1, -0.1])
    np.testing.assert_allclose(keyboard.poll(None).command, [0.2, 0.1, -0.1])
    os.write(writer, b"2")
    intent = keyboard.poll(None)
    assert intent.request == Request.WALK
    assert intent.command.tolist() == [0.0, 0.0, 0.0]
    assert keyboard.poll(None).request == Request.NONE


def test_damping_wins_over_keys_pressed_with_it(pipe):
    reader, writer = pipe
    keyboard = Keyboard(reader)
    os.write(writer, b"2 2")
    assert keyboard.poll(None).request == Request.DAMPING


@pytest.mark.parametrize(
    ("typed", "request_", "forward"),
    [
        (b"\x1b[A ", Request.DAMPING, 0.0),
        (b" \x1bOA", Request.DAMPING, 0.0),
        (b"\x1b ", Request.DAMPING, 0.0),
        (b"\x1bOA", Request.NONE, 0.0),
        (b"w\x1b[1;5A", Request.NONE, 0.1),
        (b"\x1bw", Request.NONE, 0.0),
        (b"\x1b[15~w", Request.NONE, 0.1),
    ],
)
def test_arrows_and_the_like_neither_quit_nor_hide_a_key(pipe, typed, request_, forward):
    reader, writer = pipe
    keyboard = Keyboard(reader)
    os.write(writer, typed)
    intents = [keyboard.poll(None) for _ in range(3)]
    assert [intent.request for intent in intents if intent.request] == [request_] * bool(request_)
    assert intents[-1].command[0] == pytest.approx(forward)


def test_escape_alone_quits_and_one_that_comes_in_two_pieces_does_not(pipe):
    reader, writer = pipe
    keyboard = Keyboard(reader)
    os.write(writer, b"\x1b")
    assert keyboard.poll(None).request == Request.NONE, "it may be the beginning of an arrow"
    os.write(writer, b"[A")
    assert [keyboard.poll(None).request for _ in range(3)] == [Request.NONE] * 3
    os.write(writer, b"\x1b")
    assert [keyboard.poll(None).request for _ in range(3)] == [Request.NONE, Request.QUIT, Request.NONE]


def test_keys_stay_within_the_ranges(pipe):
    reader, writer = pipe
    keyboard = Keyboard(reader, RANGES)
    os.write(writer, b"w" * 30)
    assert keyboard.poll(None).command[0] == 2.0
    os.write(writer, b"s")
    assert keyboard.poll(None).command[0] == pytest.approx(1.9)


def test_closed_terminal_is_an_operator_lost(pipe):
    reader, writer = pipe
    keyboard = Keyboard(reader)
    os.close(writer)
    assert keyboard.poll(None) is None
    assert keyboard.poll(None) is None


def test_terminal_is_left_as_it_was():
    import pty
    import termios

    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    keyboard = Keyboard(slave)
    assert termios.tcgetattr(slave) != before
    assert not termios.tcgetattr(slave)[0] & termios.IXON, "Ctrl-S would hold what the controller says"
    os.write(master, b"1")
    time.sleep(0.05)
    assert keyboard.poll(None).request == Request.STAND
    keyboard.close()
    assert termios.tcgetattr(slave) == before
    os.close(master)
    os.close(slave)


def event(value: int, kind: int, number: int) -> bytes:
    return struct.pack("<IhBB", 0, value, kind, number)


def test_gamepad_sticks_and_buttons(pipe):
    reader, writer = pipe
    pad = Gamepad(RANGES, reader)
    os.write(writer, event(0, 0x81, 0) + event(-32767, 2, 1) + event(32767, 2, 3) + event(1, 1, 3))
    intent = pad.poll(None)
    assert intent.command.tolist() == [2.0, 0.0, -1.5]
    assert intent.request == Request.WALK
    os.write(writer, event(0, 1, 3))
    assert pad.poll(None).request == Request.NONE
    os.write(writer, event(1, 1, 4) + event(1, 1, 0))
    assert pad.poll(None).request == Request.DAMPING


def test_unplugged_gamepad_is_an_operator_lost(pipe):
    reader, writer = pipe
    pad = Gamepad(RANGES, reader)
    assert pad.poll(None) is not None
    os.close(writer)
    assert pad.poll(None) is None


def state(remote: bytes) -> State:
    zeros = np.zeros(12)
    return State(zeros, zeros, zeros, np.array([1.0, 0, 0, 0]), zeros[:3], zeros[:3], remote=remote)


def remote_bytes(buttons: int = 0, lx=0.0, rx=0.0, ly=0.0) -> bytes:
    return struct.pack("<2sH5f16x", b"\x55\x51", buttons, lx, rx, 0.0, 0.0, ly)


def test_remote_s_sticks_and_buttons():
    remote = Remote(RANGES)
    intent = remote.poll(state(remote_bytes(1 << 8, lx=1.0, rx=-1.0, ly=0.5)))
    assert intent.command.tolist() == [1.0, -0.5, 1.5]
    assert intent.request == Request.STAND
    assert remote.poll(state(remote_bytes(1 << 8))).request == Request.NONE
    assert remote.poll(state(remote_bytes(1 << 5 | 1 << 9))).request == Request.DAMPING
    assert remote.poll(state(remote_bytes(1 << 1 | 1 << 2))).request == Request.RESTART
    assert remote.poll(state(remote_bytes(1 << 2))).request == Request.WALK


def test_remote_without_life_is_an_operator_lost():
    remote = Remote(RANGES)
    assert remote.poll(None) is None
    assert remote.poll(state(bytes(40))) is None
    alive = state(remote_bytes())
    assert remote.poll(alive) is not None
    assert remote.poll(alive) is None, "the same state again brings no news of the operator"


def test_packets_drive_over_udp():
    operator = Network(0)
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.connect(("127.0.0.1", operator.port))
    assert operator.poll(None) is None
    sender.send(network.pack([0.5, 0.0, -0.25], Request.WALK))
    sender.send(network.pack([0.6, 0.0, -0.25]))
    sender.send(b"noise")
    time.sleep(0.02)
    intent = operator.poll(None)
    np.testing.assert_allclose(intent.command, [0.6, 0.0, -0.25], rtol=1e-6)
    assert intent.request == Request.WALK
    assert operator.poll(None) is None
    sender.close()
    operator.close()


def test_documented_packet():
    packet = b"HIM1" + (2).to_bytes(4, "little") + np.array([1.0, 0.5, -1.0], "<f4").tobytes()
    assert network.pack([1.0, 0.5, -1.0], Request.WALK) == packet


@given(st.binary(max_size=40) | st.binary(min_size=16, max_size=16).map(lambda rest: b"HIM1" + rest))
def test_no_packet_breaks_the_parser(data):
    intent = network.parse(data)
    assert intent is None or np.isfinite(intent.command).all()


@pytest.mark.parametrize("name", ["", "mouse", "udp:", "udp:x", "udp:99999", "keyboard:3"])
def test_unknown_operator_is_refused(name):
    with pytest.raises(HimError, match="an operator is"):
        open_operator(name, RANGES)


def test_missing_gamepad_is_named(tmp_path):
    with pytest.raises(HimError, match="js9"):
        open_operator(f"gamepad:{tmp_path}/js9", RANGES)


def test_taken_port_is_named():
    first = Network(0)
    with pytest.raises(HimError, match=str(first.port)):
        open_operator(f"udp:{first.port}", RANGES)
    first.close()
