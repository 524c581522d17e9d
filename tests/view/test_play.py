"""The page is served, drives the simulation, and goes away."""

import threading
import time
import urllib.request
from collections.abc import Iterator

import numpy as np
import pytest

from him import robots
from him.deploy.operator import Intent
from him.deploy.states import Request
from him.errors import HimError
from him.policy import Policy
from him.view.page import Page
from him.view.play import Play, Where, play


class Hands:
    """An operator who does what a test says."""

    def __init__(self) -> None:
        self.intent: Intent | None = None
        self.closed = False

    def poll(self, state: object) -> Intent | None:
        return self.intent

    def close(self) -> None:
        self.closed = True


@pytest.fixture(scope="module")
def session(still) -> Iterator[Play]:
    session = Play(Policy(still), robots.load("a1"), Where("stairs", 2), Hands(), port=8137)
    yield session
    session.close()
    assert session.operator.closed


@pytest.fixture(autouse=True)
def at_rest(request):
    if "session" in request.fixturenames:
        session = request.getfixturevalue("session")
        session.operator.intent = None
        session.wish("stop")
        session.wish("restart")
        session.tick()


def test_the_page_is_served(session):
    with urllib.request.urlopen(session.page.address, timeout=10) as answer:
        assert answer.status == 200
        assert b"<html" in answer.read().lower()


def test_sliders_command_the_robot_within_the_policy_s_ranges(session):
    session.command = np.array([0.5, -9.0, 0.2])
    assert session.tick().command.tolist() == [0.5, -0.5, 0.2]


def test_an_operator_moves_the_sliders_and_then_lets_others(session):
    session.operator.intent = Intent(np.array([0.3, 0.0, 0.0]))
    assert session.tick().command[0] == 0.3
    session.command = np.array([-0.2, 0.0, 0.0])
    assert session.tick().command[0] == -0.2


def test_following_the_route_walks_on(session):
    session._follow.value = True
    assert session.tick().command[0] > 0.5
    session.wish("stop")
    assert session.tick().command.tolist() == [0.0, 0.0, 0.0]


def test_a_push_and_a_new_start(session):
    session.tick()
    session.wish("push")
    assert np.linalg.norm(session.tick().velocity[:2]) > 0.3
    session.wish("restart")
    assert session.tick().time < 0.03


def test_another_place_can_be_chosen(session):
    before = session.simulation.terrain
    session._place.value = "flat"
    deadline = time.monotonic() + 10
    while session.simulation.terrain is before and time.monotonic() < deadline:
        session.tick()
        time.sleep(0.01)
    assert session.simulation.terrain is not before
    assert not session.simulation.terrain.corners.any()


def test_it_runs_until_the_operator_quits(still):
    hands = Hands()
    session = Play(Policy(still), robots.load("a1"), Where("flat"), hands, port=8137)
    thread = threading.Thread(target=play, args=(session,))
    thread.start()
    time.sleep(0.5)
    hands.intent = Intent(request=Request.QUIT)
    thread.join(timeout=10)
    assert not thread.is_alive()
    assert hands.closed
    assert session.simulation.step(np.zeros(3)).time > 0.2


def test_a_host_that_is_not_this_one_is_refused():
    with pytest.raises(HimError, match="cannot serve"):
        Page("nobody", host="203.0.113.5")
