"""`him deploy`: run a policy on a robot, check the robot first, look at a log afterwards."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console
from rich.table import Table

from him import robots
from him.deploy import log, replay
from him.deploy.check import Check
from him.deploy.clock import RealClock
from him.deploy.controller import Controller
from him.deploy.links import open_link
from him.deploy.operator import gamepad, keyboard, open_operator, remote
from him.policy import Policy

HELP = {"keyboard": keyboard.HELP, "gamepad": gamepad.HELP, "remote": remote.HELP}


@dataclass(frozen=True)
class Run:
    """Drive a robot with a policy."""

    policy: tyro.conf.Positional[str]
    """Name of a policy, or path of its ONNX file."""
    link: str
    """Address of the robot: udp:HOST:PORT, or dds:INTERFACE for a Go2. There is no default."""
    robot: str | None = None
    """Robot by name or path; the policy's own if not given."""
    operator: str = "keyboard"
    """keyboard, gamepad[:DEVICE], remote (the robot's own), or udp:[HOST:]PORT."""
    log: Path | None = None
    """File for the log of every cycle."""
    local_port: int = 0
    """Port to send from; 0 takes a free one."""
    wire: str | None = None
    """For a robot of your own: the robot whose packets it speaks (a1, aliengo, go1 or go2)."""
    realtime: bool = True
    """Ask the system for real-time priority; where it is refused, run on without it."""

    def __call__(self) -> int:
        policy = Policy(self.policy)
        robot = robots.load(self.robot or policy.contract.robot)
        operator = open_operator(self.operator, policy.contract.command_ranges)
        about = {"robot": robot.name, "policy": str(policy.path), "link": self.link}
        record = log.Log(self.log, about) if self.log else None
        try:
            link = open_link(self.link, robot.name, self.local_port, self.wire)
            controller = Controller(policy, robot, link, RealClock(), operator, log=record)
            print(HELP.get(self.operator.partition(":")[0], f"listening for commands on {self.operator}"))
            with _priority(self.realtime), _signals() as stopped:
                controller.run(stopped)
            link.close()
        finally:
            operator.close()
            if record is not None:
                record.close()
        print(controller.timing.report())
        return 0


@dataclass(frozen=True)
class CheckRobot:
    """Check a hung-up robot without torque: packets, limits, IMU, joint order and signs, a dry run."""

    robot: tyro.conf.Positional[str]
    """Robot by name or path."""
    link: str
    """Address of the robot: udp:HOST:PORT, or dds:INTERFACE for a Go2."""
    policy: str | None = None
    """Policy to run dry on the robot's measurements."""
    local_port: int = 0
    """Port to send from; 0 takes a free one."""
    wire: str | None = None
    """For a robot of your own: the robot whose packets it speaks."""

    def __call__(self) -> int:
        robot = robots.load(self.robot)
        policy = Policy(self.policy, robot=robot.name) if self.policy else None
        link = open_link(self.link, robot.name, self.local_port, self.wire)
        console, failed = Console(), 0
        try:
            for finding in Check(robot, link, RealClock(), console.print, policy).run():
                mark = "[green]ok[/green]" if finding.passed else "[red]FAILED[/red]"
                console.print(f"{mark} {finding.name}: {finding.detail}")
                failed += not finding.passed
        finally:
            link.close()
        console.print("All checks passed." if not failed else f"{failed} checks failed: do not let it walk.")
        return 1 if failed else 0


@dataclass(frozen=True)
class Replay:
    """Summarise a log and draw it."""

    file: tyro.conf.Positional[Path]
    """Log of `him deploy run --log`."""
    plot: Path | None = None
    """Picture to draw; beside the log if not given."""

    def __call__(self) -> int:
        recording = log.read(self.file)
        table = Table(show_header=False)
        for name, value in replay.summary(recording).items():
            table.add_row(name, value)
        Console().print(table)
        picture = self.plot or self.file.with_suffix(".png")
        replay.plot(recording, picture)
        print(f"drawn to {picture}")
        return 0


COMMANDS: dict[str, Any] = {"run": Run, "check": CheckRobot, "replay": Replay}
"""Subcommands by name."""


def main(argv: list[str]) -> int:
    """Entry of `him deploy`."""
    chosen: Any = tyro.extras.subcommand_cli_from_dict(
        COMMANDS, args=argv, prog="him deploy", description=__doc__
    )
    return int(chosen())


@contextlib.contextmanager
def _signals() -> Iterator[Callable[[], bool]]:
    """A function that tells whether the user or the system has asked the process to end."""
    asked: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, lambda caught, _: asked.append(caught)) for number in numbers]
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@contextlib.contextmanager
def _priority(wanted: bool) -> Iterator[None]:
    """Run before everything else on the machine, as Unitree's own loops do.

    Without it, a busy machine keeps the loop waiting for 30 ms and more, which is a missed deadline.
    """
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        if wanted:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    except PermissionError:
        print("real-time priority was refused: run as root if deadlines are missed")
    try:
        yield
    finally:
        os.sched_setscheduler(0, *before)
