"""Controller and fake robot as two processes on loopback, driven as a user would drive them: `him deploy` and UDP.

This process is the operator. It knows of the others what they print and write, and nothing else.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from him.deploy.operator import network
from him.deploy.states import Request
from him.errors import HimError
from him.fake.wire import HOST

HIM = (sys.executable, "-m", "him")
BEAT = 0.05
"""Seconds between the operator's packets; ten may get lost before the operator counts as lost."""
START = 60.0
"""Seconds a process has to start; a busy machine imports slowly."""


class Rehearsal:
    """Both processes, the operator's wishes, and what came of them."""

    def __init__(self, folder: Path, him: Sequence[str] = HIM) -> None:
        """Reports and what the processes print go to `folder`; `him` is the command that starts them."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("robot.jsonl", "controller.json"):
            (folder / name).unlink(missing_ok=True)
        self._folder, self._him = folder, him
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.command = np.zeros(3)
        self.status: dict[str, Any] = {}
        """The fake robot's last."""
        self._operator = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._operator.connect((HOST, free_port()))
        self._track: _Following | None = None
        self._asked_at = 0

    def start_robot(self, robot: str, *options: str) -> int:
        """Start the fake robot; returns its port."""
        port, track = free_port(), self._folder / "robot.jsonl"
        self._start("robot", "fake-robot", robot, "--port", str(port), "--track", str(track), *options)
        self.wait(track.exists, START, "the fake robot to start")
        self._track = _Following(track)
        self.wait(lambda: bool(self.status), START, "the fake robot to run")
        return port

    def start_controller(self, policy: str, port: int, *options: str) -> None:
        """Start the controller on a robot's port, or on one that leads there."""
        operator = f"udp:{self._operator.getpeername()[1]}"
        report = str(self._folder / "controller.json")
        link = f"udp:{HOST}:{port}"
        self._start("controller", "run", policy, "--link", link, "--operator", operator, "--report", report, *options)
        self.wait(lambda: self.status["received"] > 50, START, "the controller to start")

    def _start(self, name: str, *arguments: str) -> None:
        output = (self._folder / f"{name}.txt").open("wb")
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        with output:
            self.processes[name] = subprocess.Popen(
                [*self._him, "deploy", *arguments], stdout=output, stderr=output, env=environment
            )

    def ask(self, request: Request) -> None:
        """Tell the controller once what is wanted; what it `said` counts from here."""
        self._asked_at = len(self.output("controller"))
        self._send(request)

    def _send(self, request: Request) -> None:
        # nobody listening is nothing new to a sender over UDP
        with contextlib.suppress(ConnectionRefusedError):
            self._operator.send(network.pack(self.command, request))

    def wait(self, until: Callable[[], bool], seconds: float, what: str) -> None:
        """Go on giving the command until something is so; an error if it does not come in time."""
        end = time.monotonic() + seconds
        while not until():
            if time.monotonic() > end:
                raise HimError(f"waited {seconds:.0f} s for {what}; {self._account()}")
            if ended := [name for name, process in self.processes.items() if process.poll() is not None]:
                raise HimError(f"the {ended[0]} ended while waiting for {what}; {self._account()}")
            self.beat()

    def pause(self, seconds: float) -> None:
        """Go on giving the command for a while."""
        for _ in range(round(seconds / BEAT)):
            self.beat()

    def beat(self) -> None:
        """One packet of the operator, a short rest, and the fake robot's news."""
        self._send(Request.NONE)
        time.sleep(BEAT)
        if self._track is not None:
            self.status = (self._track.new() or [self.status])[-1]

    def said(self, *texts: str) -> bool:
        """Whether the controller has printed one of these since the last request."""
        lately = self.output("controller")[self._asked_at :]
        return any(text in lately for text in texts)

    def output(self, name: str) -> str:
        """All that a process has printed."""
        file = self._folder / f"{name}.txt"
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

    def stand_and_walk(self) -> bool:
        """From lying to walking, with no speed; whether nothing stopped it on the way."""
        self.command = np.zeros(3)
        return self._reach(Request.STAND, "stand_up -> stand\n") and self._reach(Request.WALK, "stand -> walk\n")

    def _reach(self, request: Request, arrived: str) -> bool:
        stopped = ("DAMPING", "while in damping")
        self.ask(request)
        self.wait(lambda: self.said(arrived, *stopped), START, f"the controller to say {arrived.strip()!r}")
        return not self.said(*stopped)

    def report(self) -> dict[str, Any]:
        """The controller's report, once it has ended."""
        file = self._folder / "controller.json"
        if not file.exists():
            raise HimError(f"the controller left no report; it said: {self.output('controller')[-500:]}")
        return json.loads(file.read_text())

    def end(self, name: str, seconds: float = 20.0) -> int:
        """Ask a process to end as Ctrl-C does, and wait for it; returns its exit code."""
        process = self.processes.pop(name)
        process.terminate()
        return process.wait(seconds)

    def kill(self, name: str) -> None:
        """End a process without letting it say anything more."""
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def close(self) -> None:
        """End whatever still runs."""
        for name in list(self.processes):
            self.kill(name)
        self._operator.close()
        if self._track is not None:
            self._track.close()

    def _account(self) -> str:
        said = "; ".join(f"the {name} said: {self.output(name)[-500:].strip() or 'nothing'}" for name in self.processes)
        return f"{said}; the robot's last status: {self.status or 'none'}"


def free_port() -> int:
    """A UDP port of loopback that nobody uses now."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


class _Following:
    """A growing file of JSON lines."""

    def __init__(self, path: Path) -> None:
        self._file = path.open(encoding="utf-8")
        self._rest = ""

    def new(self) -> list[dict[str, Any]]:
        """Lines that were added since the last call; one that is not complete yet has to wait."""
        *lines, self._rest = (self._rest + self._file.read()).split("\n")
        return [json.loads(line) for line in lines]

    def close(self) -> None:
        self._file.close()
