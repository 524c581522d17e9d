"""End to end: a controller process and a fake robot process, UDP between them, the shipped policy."""

import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from him.deploy.states import Request
from him.errors import HimError
from him.fake.rehearsal import Rehearsal
from tests.fake.cable import Cable
from tests.stolen import Watch

SLOW_HIM = Path(__file__).with_name("slow_him.py")
ON_ITS_SIDE = math.pi / 4
"""Tilt in radians beyond which a robot did not lie down but tipped over. One that walks upright and is stopped in the
middle of a stride may come to rest on a folded leg, at 0.44."""

SPEEDS = (1.0, 0.4, 0.15)
"""Real time first. Where the machine itself misses deadlines, the same again with more time for everything."""


def rehearse(folder: Path, play: Callable[[Rehearsal], None]) -> None:
    """Play a scene at the first speed that the machine keeps up with."""
    host = Watch()
    for speed in SPEEDS:
        rehearsal = Rehearsal(folder / f"{speed:g}", (sys.executable, str(SLOW_HIM), f"{speed:g}"))
        try:
            play(rehearsal)
            return
        except (AssertionError, HimError):
            if not too_slow(rehearsal):
                raise
            if speed == SPEEDS[-1]:
                host.excuse()
                raise
        finally:
            rehearsal.close()


def too_slow(rehearsal: Rehearsal) -> bool:
    """Whether a process was kept waiting: late commands or states, or a world that could not keep up."""
    stopped = any(words in rehearsal.output("controller") for words in ("no command for", "no new state packet"))
    return stopped or rehearsal.status.get("slipped", 0.0) > 0.0


def walk(scene: Rehearsal, metres: float) -> None:
    """Until it is so far away; a stop on the way is the end of the scene."""
    far = f"{metres:g} metres"
    scene.wait(lambda: scene.status["distance"] >= metres or scene.said("DAMPING"), 120.0, far)
    assert not scene.said("DAMPING"), scene.output("controller")


def rests(rehearsal: Rehearsal, mode: str) -> Callable[[], bool]:
    """The robot lies still, with its motors in a mode."""
    return lambda: (
        rehearsal.status["mode"] == mode and rehearsal.status["speed"] < 0.03 and rehearsal.status["position"][2] < 0.2
    )


@pytest.mark.slow
def test_ten_metres_through_five_percent_loss_then_the_controller_is_killed(tmp_path: Path) -> None:
    def play(scene: Rehearsal) -> None:
        port = scene.start_robot("aliengo", "--loss", "0.05")
        scene.start_controller("aliengo", port)
        assert scene.stand_and_walk()
        scene.command = np.array([1.4, 0.0, 0.0])
        walk(scene, 10.0)
        walked = scene.status
        assert (walked["mode"], walked["falls"], walked["refused"]) == ("servo", 0, 0)
        packets = walked["received"] + walked["sent"] + walked["lost"]
        assert walked["lost"] / packets == pytest.approx(0.05, abs=0.015)

        scene.kill("controller")
        scene.wait(rests(scene, "silence"), 60.0, "the robot to lie down by itself")
        assert scene.status["tilt"] < ON_ITS_SIDE
        assert scene.status["falls"] == 0
        assert scene.end("robot") == 0
        assert "silence" in scene.output("robot")

    rehearse(tmp_path, play)


@pytest.mark.slow
def test_the_cable_is_pulled(tmp_path: Path) -> None:
    def play(scene: Rehearsal) -> None:
        cable = Cable(scene.start_robot("aliengo"))
        cable.start()
        try:
            scene.start_controller("aliengo", cable.port, "--log", str(tmp_path / "run.log"))
            assert scene.stand_and_walk()
            scene.command = np.array([1.0, 0.0, 0.0])
            walk(scene, 1.0)
            cable.plugged = False
            scene.wait(rests(scene, "silence"), 60.0, "the robot to lie down by itself")
            assert scene.said("DAMPING: no new state packet for")
            assert scene.status["tilt"] < ON_ITS_SIDE
            assert scene.status["falls"] == 0

            cable.plugged = True
            scene.wait(rests(scene, "damping"), 30.0, "the robot to hear the controller again")
            scene.ask(Request.WALK)
            scene.wait(lambda: scene.said("walk is not possible while in damping"), 30.0, "a refusal")
            scene.ask(Request.RESTART)
            scene.wait(lambda: scene.said("damping -> passive"), 30.0, "the deliberate restart")
            assert scene.end("controller") == 0
            assert [reason[:19] for reason in scene.report()["stops"]] == ["no new state packet"]
        finally:
            cable.close()

    rehearse(tmp_path, play)
