"""Hours of controller and fake robot together: does anything stop, fall, or grow?"""

import json
import os
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from him.deploy.states import Request
from him.errors import HimError
from him.fake.rehearsal import Rehearsal
from him.policy import Policy

HOLD = 4.0
"""Seconds a velocity command lasts."""
COMMANDS = np.array([[-0.5, 1.0], [-0.5, 0.5], [-1.0, 1.0]])
"""Range of the commands, forward and leftward in m/s and turning in rad/s: a stroll."""
STAND_SHARE = 0.1
"""Share of commands without any speed."""
SAMPLE = 10.0
"""Seconds between looks at the memory."""
GROWTH = 1.0
"""Megabytes a process may have more at the end than after its start; the allocator's own wavering is below that."""
PATIENCE = 30.0
"""Seconds for a restart, and for sitting down."""
PROCESSES = ("controller", "robot")
HEADLINES = (
    "walked_seconds",
    "walked_metres",
    "falls",
    "stops",
    "deadline_misses",
    "memory_growth_mb",
    "stolen_seconds",
    "broken_off",
)
"""What of the result a person wants to see at once."""


@dataclass(frozen=True)
class SoakSettings:
    """How long, and how bad the network is."""

    seconds: float = 3600.0
    """Time of walking."""
    loss: float = 0.02
    """Share of packets that get lost, in each direction."""
    latency_ms: float = 2.0
    """Milliseconds a packet is on its way, in each direction."""
    noise: float = 1.0
    """Factor on the sensor noise of training."""
    seed: int = 0
    """Of commands, noise and losses."""


class Soak:
    """Walks varied commands on flat ground; after a stop it restarts, stands up and walks on."""

    def __init__(self, settings: SoakSettings, rehearsal: Rehearsal, show: Callable[[float, str], None]) -> None:
        """`show` is told the seconds walked and how it goes."""
        self._settings, self._rehearsal, self._show = settings, rehearsal, show
        self._rng = np.random.default_rng(settings.seed)
        self._sample_at = 0.0
        self.walked = 0.0
        self.falls = 0
        self.memory: dict[str, list[float]] = {"seconds": [], **{f"{name}_mb": [] for name in PROCESSES}}
        """Over the time walked."""

    def run(self) -> None:
        """Walk for the whole time, then sit down."""
        robot = self._rehearsal
        self._stand_up()
        while self.walked < self._settings.seconds:
            before = robot.status["falls"]
            self._walk()
            self.falls += robot.status["falls"] - before
            if robot.said("DAMPING"):
                self._stand_up()
        robot.command = np.zeros(3)
        robot.ask(Request.SIT)
        robot.wait(lambda: robot.said("sit -> passive", "DAMPING"), PATIENCE, "the robot to sit")

    def _stand_up(self) -> None:
        """Walking again, through as many restarts as it takes."""
        while self._rehearsal.said("DAMPING") or not self._rehearsal.stand_and_walk():
            self._restart()

    def _restart(self) -> None:
        """Ask until it is done: a restart is refused as long as the fault lasts."""
        robot, end = self._rehearsal, time.monotonic() + PATIENCE
        while not robot.said("damping -> passive"):
            if time.monotonic() > end:
                said = robot.output("controller")[-300:]
                raise HimError(f"no restart in {PATIENCE:.0f} s; the controller said: {said}")
            robot.ask(Request.RESTART)
            robot.pause(0.5)

    def _walk(self) -> None:
        """Give one command for its time, or until the controller stops."""
        robot, begun, before = self._rehearsal, time.monotonic(), self.walked
        robot.command = draw(self._rng)
        while self.walked < min(before + HOLD, self._settings.seconds) and not robot.said("DAMPING"):
            if self.walked >= self._sample_at:
                self._sample()
            robot.beat()
            self.walked = before + time.monotonic() - begun
            self._show(self.walked, f"{robot.status['mode']}, {robot.status['distance']:.1f} m away")

    def _sample(self) -> None:
        self._sample_at += SAMPLE
        self.memory["seconds"].append(round(self.walked, 1))
        for name in PROCESSES:
            self.memory[f"{name}_mb"].append(resident(self._rehearsal.processes[name].pid))


def soak(policy: str, settings: SoakSettings, folder: Path, show: Callable[[float, str], None]) -> dict[str, Any]:
    """Run it; the result as JSON. The log of every cycle and all that was printed stay in `folder`."""
    name = Policy(policy).contract.robot
    rehearsal = Rehearsal(folder)
    stolen = steal()
    try:
        network = ("--loss", str(settings.loss), "--latency-ms", str(settings.latency_ms))
        port = rehearsal.start_robot(name, *network, "--noise", str(settings.noise), "--seed", str(settings.seed))
        rehearsal.start_controller(policy, port, "--log", str(folder / "controller.log"))
        course, broken = Soak(settings, rehearsal, show), None
        try:
            course.run()
        except HimError as error:
            broken = str(error)
        codes = {process: rehearsal.end(process) for process in PROCESSES}
    finally:
        rehearsal.close()
    report = rehearsal.report()
    result = {
        "policy": policy,
        "robot": name,
        **asdict(settings),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "stolen_seconds": round(steal() - stolen, 1),
        "walked_seconds": round(course.walked, 1),
        "walked_metres": round(way(folder / "robot.jsonl"), 1),
        "broken_off": broken,
        "falls": course.falls,
        "stops": report.pop("stops"),
        "deadline_misses": report["missed"],
        "exit_codes": codes,
        "punctuality": report,
        "fake_robot": rehearsal.status,
        "memory_growth_mb": {process: growth(course.memory[f"{process}_mb"]) for process in PROCESSES},
        "memory": course.memory,
    }
    return {"passed": passed(result), **result}


def passed(result: dict[str, Any]) -> bool:
    """No stop, no fall, no growth, and ended in order."""
    still = all(grown < GROWTH for grown in result["memory_growth_mb"].values())
    bad = ("broken_off", "stops", "falls")
    return still and not any(result[name] for name in bad) and not any(result["exit_codes"].values())


def growth(samples: list[float]) -> float:
    """Megabytes between the second and the last tenth of the time, on average; the first tenth is warming up."""
    tenth = max(len(samples) // 10, 1)
    early, late = samples[tenth : 2 * tenth] or samples[:1], samples[-tenth:]
    return round(float(np.mean(late) - np.mean(early)), 3)


def draw(rng: np.random.Generator) -> NDArray[np.float64]:
    """A velocity command."""
    low, high = COMMANDS.T
    return np.zeros(3) if rng.random() < STAND_SHARE else np.round(rng.uniform(low, high), 2)


def way(track: Path) -> float:
    """Metres walked, from positions a second apart, which leaves the sway of the gait out."""
    statuses = [json.loads(line) for line in track.read_text().splitlines()]
    places = np.array([status["position"][:2] for status in statuses[::10]])
    return float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())


def resident(pid: int) -> float:
    """Memory of a process that is in use, in megabytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 3)


def steal() -> float:
    """Seconds of processor time that the host of a virtual machine has given to others: they explain late cycles."""
    return int(Path("/proc/stat").read_text().split()[8]) / os.sysconf("SC_CLK_TCK")
