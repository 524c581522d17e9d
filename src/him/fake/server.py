"""A robot on loopback that is not there: MuJoCo C in real time behind Unitree's UDP protocol.

The controller cannot tell it from a robot: the same packets at the same 500 Hz, late and lost like a network's, and
measurements with noise. It owns its time: a step is 2 ms of its world, whenever it is called.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from him.deploy import messages
from him.deploy.clock import Clock
from him.deploy.settings import Limits
from him.deploy.settings import Settings as Control
from him.deploy.wire import Frames
from him.env.settings import Noise
from him.errors import HimError
from him.fake.robot import STEP, Sensors, SimulatedRobot, with_ground
from him.fake.status import Mode, Status
from him.fake.wire import UdpEnd
from him.robots import Robot

BEHIND = 0.05
"""Seconds the world may lag behind the clock and still catch up; beyond that it lets the time go."""
TELL_EVERY = 50
"""Steps between two reports of the status: 0.1 s."""


@dataclass(frozen=True)
class Settings:
    """How bad the network, the sensors and the ground are."""

    latency: float = 0.002
    """Seconds a packet is on its way, in each direction; in whole steps of 2 ms."""
    loss: float = 0.0
    """Share of packets that get lost, in each direction."""
    noise: float = 1.0
    """Factor on the sensor noise of training; 0 switches it off."""
    watchdog: float = 0.1
    """Seconds without a command after which it brakes by itself; 0 keeps the last command for ever. What the robots do
    is not documented, so rehearse both."""
    friction: float = 0.8
    """Coefficient of the ground."""
    seed: int = 0
    """Of noise and losses."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.loss <= 1.0:
            raise HimError(f"loss is a share from 0 to 1, not {self.loss}")
        for name in ("latency", "noise", "watchdog", "friction"):
            if not 0.0 <= getattr(self, name) < float("inf"):
                raise HimError(f"{name} must be 0 or more, not {getattr(self, name)}")


class FakeRobot:
    """Takes commands from the wire, moves, measures, and answers."""

    def __init__(self, robot: Robot, frames: Frames, port: int, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        noise, network = np.random.default_rng(self.settings.seed).spawn(2)
        sensors = Sensors(Noise(scale=self.settings.noise), latency=0)
        self._end = UdpEnd(frames, port, self.settings.latency, self.settings.loss, network)
        self.body = SimulatedRobot(robot, with_ground(robot, self.settings.friction), noise, sensors)
        self.body.lie_down()
        self._start = self.body.position
        self._ticks = 0
        self._heard: float | None = None
        self._command = messages.off()
        self._upright = False
        self.mode = Mode.WAITING
        self.falls = 0
        """Times it went from standing to trunk on the ground, or on its side, while the motors held positions."""
        self.slipped = 0.0
        """Seconds of the clock that this machine was too slow to simulate."""

    @property
    def port(self) -> int:
        return self._end.port

    @property
    def now(self) -> float:
        """Seconds of its own world since it was switched on."""
        return self._ticks * STEP

    def run(self, clock: Clock, stop: Callable[[], bool], tell: Callable[[Status], None]) -> None:
        """Keep up with the clock until `stop` says so; `tell` hears how it goes, and of every change of mode."""
        moment, mode = clock.now(), self.mode
        while not stop():
            self.step()
            if self._ticks % TELL_EVERY == 1 or self.mode != mode:
                mode = self.mode
                tell(self.status())
            moment += STEP
            late = clock.now() - moment
            if late > BEHIND:
                self.slipped += late
                moment += late
            clock.sleep_until(moment)

    def step(self) -> None:
        """One motor loop: hear, move, measure, answer."""
        command = self._end.hear(self.now)
        if command is not None:
            self._heard, self._command = self.now, command
        self.body.send(self._obeyed())
        self.body.advance(STEP)
        self._ticks += 1
        state = self.body.receive()
        assert state is not None
        self._end.tell(state, self.now)
        self._watch()

    def _obeyed(self) -> messages.Command:
        """The last command, or braking when none has come for too long."""
        watchdog = self.settings.watchdog
        if self._heard is None:
            self.mode = Mode.WAITING
        elif watchdog and self._command.servo and self.now - self._heard > watchdog + 1e-9:
            self.mode = Mode.SILENCE
            return messages.damping(Control().damping_kd)
        else:
            self.mode = Mode.of(self._command)
        return self._command

    def _watch(self) -> None:
        """Count falls. Whoever lies has to stand up before falling again."""
        if self.body.trunk_touches() or self.body.tilt > Limits().max_tilt:
            self.falls += self._upright and self.mode == Mode.SERVO
            self._upright = False
        elif self.body.position[2] > 0.5 * self.body.robot.standing_height:
            self._upright = True

    def status(self) -> Status:
        """What there is to know, now."""
        end, position = self._end, self.body.position
        return Status(
            time=round(self.now, 3),
            mode=self.mode,
            position=[round(float(value), 3) for value in position],
            distance=round(float(np.linalg.norm((position - self._start)[:2])), 3),
            tilt=round(self.body.tilt, 3),
            speed=round(float(np.linalg.norm(self.body.data.qvel[:3])), 3),
            received=end.commands.carried,
            sent=end.states.carried,
            lost=end.commands.lost + end.states.lost,
            refused=end.refused,
            falls=self.falls,
            slipped=round(self.slipped, 3),
        )

    def close(self) -> None:
        self._end.close()
