"""The controller: a policy at 50 Hz above PD commands at 500 Hz, in a state machine a person can trust.

It takes a clock and a link, so the same code drives a robot in real time and a simulation in lock-step.
"""

import contextlib
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from him.deploy import messages
from him.deploy.clock import Clock
from him.deploy.links import Link
from him.deploy.log import Cycle, Log
from him.deploy.messages import Command, State
from him.deploy.motion import Glide, Handover
from him.deploy.operator import Operator
from him.deploy.safety import Fault, Guard, Trip, within_limits
from him.deploy.settings import Limits, Settings
from him.deploy.states import ACTIVE, TRANSITIONS, Mode, Request
from him.deploy.timing import Timing
from him.deploy.walker import Walker
from him.deploy.wire import Refused
from him.errors import HimError
from him.policy import Policy

if TYPE_CHECKING:
    from him.robots import Robot


class Controller:
    """Drives one robot with one policy over one link."""

    def __init__(
        self,
        policy: Policy,
        robot: "Robot",
        link: Link,
        clock: Clock,
        operator: Operator,
        settings: Settings = Settings(),  # noqa: B008
        limits: Limits = Limits(),  # noqa: B008
        log: Log | None = None,
        say: Callable[[str], None] = print,
    ) -> None:
        contract = policy.contract
        if contract.robot != robot.name:
            raise HimError(f"the policy was trained for {contract.robot}, not for {robot.name}")
        self.mode = Mode.PASSIVE
        self.trip: Trip | None = None
        """Why the controller is damping, until it is restarted."""
        self.stops: list[str] = []
        """Reasons of all entries into damping so far."""
        self.finished = False
        self.timing = Timing(settings.send_dt, limits.deadline)
        self.walker = Walker(policy, settings.fastest)
        self._link, self._clock, self._operator, self._log = link, clock, operator, log
        self._aloud, self._notes = say, deque[str]()
        self._settings, self._limits = settings, limits
        self._guard = Guard(robot, limits)
        self._period = contract.control_dt
        self._default = np.array(contract.default_joint_pos)
        self._gains = np.array(contract.kp), np.array(contract.kd)
        self._stand_gains = np.array(contract.stand_kp), np.array(contract.stand_kd)
        own, trained = np.asarray(robot.joint_limits).T, np.asarray(contract.joint_limits).T
        self._joint_limits = np.stack([np.maximum(own[0], trained[0]), np.minimum(own[1], trained[1])], axis=1)
        self._torque_limits = np.minimum(robot.torque_limits, contract.torque_limits)
        folded = np.tile(settings.folded, 4)
        self._folded = np.clip(folded, self._joint_limits[:, 0], self._joint_limits[:, 1])
        self._state: State | None = None
        self._target = self._default
        """What the policy wants."""
        self._command = np.zeros(3)
        self._heard = clock.now()
        self._walk_at = 0.0
        self._move: Glide | Handover = Glide([self._default, self._default], 0.0, 1.0)
        self._lies_down = False
        """Whether it is on its way from walking to lying."""

    def run(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Cycle until the operator quits or `stop` says so; leaves the robot damped, whatever happens."""
        moment = self._clock.now()
        try:
            while not (self.finished or stop()):
                self.step()
                moment += self._settings.send_dt
                if self._clock.now() > moment + self._settings.send_dt:
                    moment = self._clock.now()
                self._clock.sleep_until(moment)
        finally:
            self.close()

    def step(self) -> None:
        """One cycle: hear the robot and the operator, judge, and send a command."""
        now = self._clock.now()
        fresh = self._link.receive()
        self._state = fresh or self._state
        trip = self._guard.check(fresh, self._link.refused, now)
        if self.mode in ACTIVE and trip is not None:
            self._stop(trip)
        self._listen(now, trip)
        command = self._decide(now)
        self._send(command)
        if self._log is not None:
            self._log.write(self._cycle(now, fresh, command))
        while self._notes:
            self._aloud(self._notes.popleft())

    def close(self) -> None:
        """Send damping several times: the robot may keep the last command it got, and packets get lost."""
        for _ in range(self._settings.exit_commands):
            with contextlib.suppress(OSError):
                self._link.send(messages.damping(self._settings.damping_kd))
            self._clock.sleep_until(self._clock.now() + self._settings.send_dt)

    def _listen(self, now: float, trip: Trip | None) -> None:
        """Take the operator's wishes, or notice that there is none any more."""
        intent = self._operator.poll(self._state)
        if intent is not None:
            self._heard, self._command = now, intent.command
            if intent.request != Request.NONE:
                self._request(intent.request, now, trip)
        silent = now - self._heard
        if silent > self._settings.operator_timeout:
            self._command = np.zeros(3)
        upright = self.mode in ACTIVE and self.mode != Mode.SIT
        if upright and not self._lies_down and silent > self._settings.operator_timeout + self._settings.operator_grace:
            self._say(f"operator lost for {silent:.1f} s: sitting down")
            self._turn_to(Mode.SIT, now)

    def _request(self, request: Request, now: float, trip: Trip | None) -> None:
        """Follow a request if the state machine allows it now; refuse it with the reason otherwise."""
        if request == Request.QUIT:
            self.finished = True
            return
        mode = TRANSITIONS.get((self.mode, request))
        if mode == self.mode:
            return
        if mode is None:
            self._say(f"{request.name.lower()} is not possible while in {self.mode.name.lower()}")
        elif mode == Mode.DAMPING:
            self._stop(Trip(Fault.OPERATOR, "the operator asked for it"))
        elif trip is not None:
            self._say(f"{request.name.lower()} refused: {trip.reason}")
        else:
            self._turn_to(mode, now)

    @property
    def _balancing(self) -> bool:
        """Whether the policy keeps the robot on its feet: it is in charge, or handing over."""
        return self.mode == Mode.WALK or (self.mode == Mode.STAND_UP and isinstance(self._move, Handover))

    def _turn_to(self, mode: Mode, now: float) -> None:
        """Enter a mode, from walking by way of standing: who is on two legs would tip over when lying down."""
        self._lies_down = mode == Mode.SIT and self._balancing
        if not self._lies_down:
            self._enter(mode, now)
        elif self.mode == Mode.WALK:
            self._enter(Mode.STAND_UP, now)

    def _enter(self, mode: Mode, now: float) -> None:
        """Begin a mode from where the joints are."""
        before, self.mode = self.mode, mode
        self._say(f"{before.name.lower()} -> {mode.name.lower()}")
        if mode == Mode.PASSIVE:
            self.trip = None
            return
        assert self._state is not None
        here = self._state.joint_pos
        if mode == Mode.STAND_UP and before == Mode.WALK:
            self._move = Handover(now, self._settings.handover_time)
        elif mode == Mode.STAND_UP:
            far = np.abs(here - self._default).max() > self._settings.near
            via = [self._folded] if before == Mode.PASSIVE and far else []
            self._move = Glide([here, *via, self._default], now, self._settings.stand_time)
        elif mode == Mode.SIT:
            self._move = Glide([here, self._folded], now, self._settings.sit_time)
        elif mode == Mode.WALK:
            self.walker.reset(now)
            self._walk_at = now

    def _decide(self, now: float) -> Command:
        """The command of this cycle."""
        if self.mode in (Mode.STAND_UP, Mode.SIT) and self._move.finished(now):
            self._enter(Mode.STAND if self.mode == Mode.STAND_UP else Mode.PASSIVE, now)
        if self.mode == Mode.STAND and self._lies_down:
            self._turn_to(Mode.SIT, now)
        if self._balancing and now >= self._walk_at - 0.5 * self._settings.send_dt:
            self._walk(now)
        if self.mode == Mode.PASSIVE:
            return messages.off()
        if self.mode == Mode.DAMPING or self._state is None:
            return messages.damping(self._settings.damping_kd)
        return within_limits(self._wanted(now), self._state, self._joint_limits, self._torque_limits)

    def _wanted(self, now: float) -> Command:
        """Targets and gains of a mode that holds positions."""
        walk, stand = (self._target, *self._gains), (self._default, *self._stand_gains)
        if self.mode == Mode.WALK:
            return Command(*walk)
        if self.mode == Mode.STAND:
            return Command(*stand)
        if isinstance(self._move, Handover):
            q, kp, kd = (self._move.mix(before, after, now) for before, after in zip(walk, stand, strict=True))
            return Command(q, kp, kd)
        return Command(self._move.at(now), *self._stand_gains)

    def _walk(self, now: float) -> None:
        """Ask the policy for the targets of the next control period."""
        assert self._state is not None
        self._walk_at = max(self._walk_at + self._period, now + 0.5 * self._period)
        command = self._command if self.mode == Mode.WALK else np.zeros(3)
        begun = time.perf_counter()
        try:
            self._target = self.walker.target(self._state, command, now)
        except ValueError as error:
            self._stop(Trip(Fault.NOT_FINITE, str(error)))
        self.timing.computed(time.perf_counter() - begun)

    def _send(self, command: Command) -> None:
        """Send, and stop if this command comes after a missed deadline or cannot be sent."""
        gap = self.timing.sent(self._clock.now())
        if gap > self._limits.deadline and self.mode in ACTIVE:
            self._stop(Trip(Fault.DEADLINE, f"no command for {1000 * gap:.0f} ms"))
            command = messages.damping(self._settings.damping_kd)
        try:
            self._link.send(command)
        except (OSError, Refused) as error:
            if self.mode != Mode.DAMPING:
                self._stop(Trip(Fault.LINK, f"the command could not be sent: {error}"))

    def _stop(self, trip: Trip) -> None:
        """Brake, and say why; only a deliberate restart leads out."""
        self.mode, self.trip, self._lies_down = Mode.DAMPING, trip, False
        self.stops.append(trip.reason)
        self._say(f"DAMPING: {trip.reason}. Request a restart when it is safe.")

    def _say(self, text: str) -> None:
        """Told when the command of this cycle is out: no terminal may keep the robot waiting."""
        self._notes.append(text)

    def _cycle(self, now: float, fresh: State | None, command: Command) -> Cycle:
        """What the log keeps of this cycle."""
        return Cycle(
            time=now,
            mode=self.mode,
            fault=self.trip.fault if self.trip else Fault.NONE,
            fresh=fresh is not None,
            refused=self._link.refused,
            wanted=self._command,
            state=self._state,
            command=command,
            decision=self.walker.decision,
        )
