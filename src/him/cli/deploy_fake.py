"""`him deploy fake-robot` and `him deploy soak`: rehearsing without a robot. They need MuJoCo, the rest does not."""

import json
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tyro
from rich.console import Console
from rich.live import Live
from rich.progress import Progress
from rich.text import Text

from him import robots
from him.cli.process import punctual, signals
from him.deploy.clock import RealClock

if TYPE_CHECKING:
    from him.fake.status import Status


@dataclass(frozen=True)
class FakeRobot:
    """MuJoCo in real time behind a robot's UDP protocol, on this machine alone."""

    robot: tyro.conf.Positional[str]
    """Robot by name or path: a1, go1, aliengo, or one of your own with --wire."""
    port: int
    """UDP port to listen on; the controller's link is then udp:127.0.0.1:PORT."""
    latency_ms: float = 2.0
    """Milliseconds a packet is on its way, in each direction, in steps of 2."""
    loss: float = 0.0
    """Share of packets that get lost, in each direction, 0 to 1."""
    noise: float = 1.0
    """Factor on the sensor noise of training; 0 switches it off."""
    watchdog_ms: float = 100.0
    """Milliseconds without a command after which the robot brakes by itself; 0 keeps the last command for ever."""
    friction: float = 0.8
    """Coefficient of friction of the ground."""
    seed: int = 0
    """Of noise and losses."""
    seconds: float | None = None
    """End after this time; without it, run until Ctrl-C."""
    track: Path | None = None
    """File for its true position and its packet counts, ten JSON lines a second."""
    wire: str | None = None
    """For a robot of your own: the robot whose packets it speaks (a1, aliengo or go1)."""
    realtime: bool = True
    """Ask the system for real-time priority; where it is refused, run on without it."""

    def __call__(self) -> int:
        from him.fake import server, status, wire

        table = robots.load(self.robot)
        settings = server.Settings(
            latency=self.latency_ms / 1e3,
            loss=self.loss,
            noise=self.noise,
            watchdog=self.watchdog_ms / 1e3,
            friction=self.friction,
            seed=self.seed,
        )
        fake = server.FakeRobot(table, wire.frames_of(table.name, self.wire), self.port, settings)
        end = float("inf") if self.seconds is None else self.seconds
        print(f"{table.name} lies on the ground and listens on udp:{wire.HOST}:{fake.port}; Ctrl-C ends it")
        with ExitStack() as stack:
            stack.callback(fake.close)
            listeners: list[Callable[[Status], None]] = [stack.enter_context(Screen())]
            if self.track is not None:
                listeners.append(stack.enter_context(status.Track(self.track)))
            stack.enter_context(punctual(self.realtime))
            asked = stack.enter_context(signals())

            def tell(now: "Status") -> None:
                for listener in listeners:
                    listener(now)

            fake.run(RealClock(), lambda: asked() or fake.now >= end, tell)
        print(fake.status().line())
        return 0


class Screen:
    """One live line in a terminal; elsewhere a line for each change of what the motors do."""

    def __init__(self, console: Console | None = None) -> None:
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._mode = ""

    def __enter__(self) -> "Screen":
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def __call__(self, status: "Status") -> None:
        if self._live.console.is_terminal:
            self._live.update(Text(status.line(), no_wrap=True, overflow="ellipsis"), refresh=True)
        elif status.mode != self._mode:
            print(status.line())
        self._mode = status.mode


@dataclass(frozen=True)
class Soak:
    """Controller and fake robot together for long, on loopback with losses: stops, falls, memory, punctuality."""

    policy: tyro.conf.Positional[str]
    """Name of a policy, or path of its ONNX file."""
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
    out: Path = Path("results/soak.json")
    """File for the result."""
    keep: Path | None = None
    """Folder for the log of every cycle (290 MB an hour) and all that was printed; thrown away if not given."""

    def __call__(self) -> int:
        from him.fake import soak

        settings = soak.SoakSettings(self.seconds, self.loss, self.latency_ms, self.noise, self.seed)
        with tempfile.TemporaryDirectory() as scratch, Progress() as bar:
            task = bar.add_task("starting", total=self.seconds)

            def show(walked: float, how: str) -> None:
                bar.update(task, completed=walked, description=how)

            result = soak.soak(self.policy, settings, self.keep or Path(scratch), show)
        self.out.parent.mkdir(parents=True, exist_ok=True)
        self.out.write_text(json.dumps(result, indent=1) + "\n")
        console = Console()
        for name in soak.HEADLINES:
            console.print(f"{name.replace('_', ' ')}: {result[name]}")
        console.print(f"{'passed' if result['passed'] else 'NOT passed'}; written to {self.out}")
        return 0 if result["passed"] else 1
