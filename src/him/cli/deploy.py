"""`him deploy`: run a policy on a robot, check the robot first, look at a log afterwards; rehearse without a robot."""

import json
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console
from rich.table import Table

from him import robots
from him.cli.deploy_fake import FakeRobot, Soak
from him.cli.process import punctual, signals
from him.deploy import log, replay
from him.deploy.aside import Aside
from him.deploy.check import Check
from him.deploy.clock import RealClock
from him.deploy.controller import Controller
from him.deploy.links import open_link
from him.deploy.operator import gamepad, keyboard, open_operator, remote
from him.deploy.settings import Settings
from him.deploy.walker import limited
from him.errors import HimError
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
    fastest: tuple[float, float, float] = (1.0, 0.5, 1.0)
    """Largest command forward or back, sideways (m/s) and turning (rad/s); what a stick's full travel means."""
    log: Path | None = None
    """File for the log of every cycle."""
    report: Path | None = None
    """File for how punctual it was and what stopped it, as JSON."""
    local_port: int = 0
    """Port to send from; 0 takes a free one."""
    wire: str | None = None
    """For a robot of your own: the robot whose packets it speaks (a1, aliengo, go1 or go2)."""
    realtime: bool = True
    """Ask the system for real-time priority; where it is refused, run on without it."""

    def __call__(self) -> int:
        policy = Policy(self.policy)
        robot = robots.load(self.robot) if self.robot else robots.near(policy.contract.robot, policy.path)
        if min(self.fastest) < 0.0:
            raise HimError("--fastest takes three speeds of at least 0: forward, sideways, turning")
        operator = open_operator(self.operator, limited(policy.contract.command_ranges, self.fastest))
        about = {"robot": robot.name, "policy": str(policy.path), "link": self.link}
        record = log.Log(self.log, about) if self.log else None
        aside, settings = Aside(), Settings(fastest=self.fastest)
        try:
            link = open_link(self.link, robot.name, self.local_port, self.wire)
            controller = Controller(policy, robot, link, RealClock(), operator, settings, log=record, say=aside)
            print(HELP.get(self.operator.partition(":")[0], f"listening for commands on {self.operator}"))
            with punctual(self.realtime), signals() as stopped:
                controller.run(stopped)
            link.close()
        finally:
            operator.close()
            aside.close()
            if record is not None:
                record.close()
        print(controller.timing.report())
        if self.report is not None:
            self.report.parent.mkdir(parents=True, exist_ok=True)
            self.report.write_text(json.dumps({**controller.timing.figures(), "stops": controller.stops}) + "\n")
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
    hands: bool = True
    """Ask for joints and body to be moved; without, only what can be seen of a robot left alone."""
    local_port: int = 0
    """Port to send from; 0 takes a free one."""
    wire: str | None = None
    """For a robot of your own: the robot whose packets it speaks."""
    realtime: bool = True
    """Ask the system for real-time priority; without it, a busy machine seems to lose packets."""

    def __call__(self) -> int:
        robot = robots.load(self.robot)
        policy = Policy(self.policy, robot=robot.name) if self.policy else None
        link = open_link(self.link, robot.name, self.local_port, self.wire)
        console, failed = Console(), 0
        try:
            with punctual(self.realtime):
                for finding in Check(robot, link, RealClock(), console.print, policy).run(self.hands):
                    mark = "[green]ok[/green]" if finding.passed else "[red]FAILED[/red]"
                    console.print(f"{mark} {finding.name}: {finding.detail}")
                    failed += not finding.passed
        finally:
            link.close()
        console.print(_verdict(failed, self.hands))
        return 1 if failed else 0


def _verdict(failed: int, hands: bool) -> str:
    if failed:
        return f"{failed} checks failed: do not let it walk."
    return "All checks passed." if hands else "These passed; joint order, signs and IMU axes were left out."


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
        if self.plot is None and find_spec("matplotlib") is None:
            print("no picture was drawn: that needs matplotlib (pip install matplotlib)")
            return 0
        picture = self.plot or self.file.with_suffix(".png")
        replay.plot(recording, picture)
        print(f"drawn to {picture}")
        return 0


COMMANDS: dict[str, Any] = {"run": Run, "check": CheckRobot, "replay": Replay, "fake-robot": FakeRobot, "soak": Soak}
"""Subcommands by name."""


def main(argv: list[str]) -> int:
    """Entry of `him deploy`."""
    chosen: Any = tyro.extras.subcommand_cli_from_dict(COMMANDS, args=argv, prog="him deploy", description=__doc__)
    return int(chosen())
