"""One command for some seconds on an arena of one kind and level: the trial behind every figure of a policy.

This is the one definition of tracking error and success. The error is the mean, from t = 1 s to the end, of the
instantaneous difference between command and velocity; after a fall the velocity counts as zero. Beside it stands
the same with velocities averaged over half seconds, which takes the sway of the gait out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from him import robots
from him.bench.player import Player
from him.env import randomisation
from him.env.protocol import Observation, Step
from him.env.settings import Randomisation, TaskSettings
from him.env.task import LocomotionTask
from him.robots import Robot
from him.sim import engines
from him.sim import model as builder
from him.sim.engine import CONTROL_PERIOD
from him.terrain import arenas

SECONDS = 10.0
"""Length of a trial."""

SETTLE = 1.0
"""Time at the start that does not count."""

WINDOW = 0.5
"""Length of the averages in the second definition."""

ARENA = 6
"""Tiles along each side of an arena. Trials start on all but the outermost, so that who walks on stays on terrain: of
stairs, each tile has a tread of its own, and a few would say more about their treads than about a policy."""

VERSION = 2
"""Goes up when what a trial is changes: what was measured before is then measured anew. 1 had started on two tiles."""


Watch = Callable[[Tensor, dict[str, Tensor], Step], None]
"""Called after every step with the policy's context, what it said, and what followed."""


@dataclass(frozen=True)
class Cell:
    """Where one group of robots walks."""

    kind: str
    level: int


@dataclass
class Outcome:
    """Results, one row a robot."""

    linear: Tensor
    """Mean linear error in m/s."""
    angular: Tensor
    """Mean yaw-rate error in rad/s."""
    linear_window: Tensor
    angular_window: Tensor
    """The same with half-second averages."""
    fell: Tensor
    progress: Tensor
    """Distance made along the command, as a share of the commanded."""
    estimate: Tensor
    """Squared error of the velocity estimate, averaged over time, (m/s)^2; zero for policies without."""


class Ground:
    """Arenas with robots on them, ready for trials with any policy of that robot. Nobody pushes in a trial: pushes are
    to learn from, and in no table of the paper."""

    def __init__(
        self,
        robot: Robot | str,
        cells: Sequence[Cell],
        each: int,
        settings: TaskSettings | None = None,
        device: torch.device | str | None = None,
        seed: int = 1000,
    ) -> None:
        settings = settings or TaskSettings()
        commands = replace(settings.commands, seconds=1e6)
        plain = replace(settings.gait, active=False)
        random = replace(settings.randomisation, push=0.0)
        settings = replace(
            settings, curriculum=False, commands=commands, randomisation=random, episode_seconds=1e6, gait=plain
        )
        self.cells, self.each = list(cells), each
        torch.manual_seed(seed)
        robot = robots.load(robot) if isinstance(robot, str) else robot
        terrain = arenas([(cell.kind, cell.level) for cell in cells], (ARENA, ARENA), seed)
        bank = randomisation.bodies(builder.build(robot).compile(), settings.randomisation, seed)
        where = torch.device(device) if device else engines.default_device()
        engine = engines.make(None, robot, terrain, each * len(self.cells), bank, where)
        self.task = LocomotionTask(robot, terrain, engine, settings, bodies=bank)
        self.device = self.task.device
        self.cell = torch.arange(len(self.cells), device=self.device).repeat_interleave(each)

    def run(
        self,
        player: Player,
        command: Tensor,
        seconds: float = SECONDS,
        settle: float = SETTLE,
        watch: Watch | None = None,
    ) -> Outcome:
        """A trial of every robot with its own command (N, 3)."""
        task, steps = self.task, round(seconds / CONTROL_PERIOD)
        # what an action means is the policy's to say: its robot's table may have changed since
        task.robot = replace(task.robot, action_scale=player.contract.action_scale)
        limit = torch.full_like(command[:, 0], float(steps + 10))
        column, row = self._tiles()
        observation, velocity = task.reset_to(column, row, limit, command)
        see = Observation.critic if _sees_everything(player, task) else _frame
        context = see(observation)[:, None].repeat(1, player.contract.history_length, 1)
        tally = _Tally(command, steps, round(settle / CONTROL_PERIOD))
        age = torch.zeros_like(command[:, :1])
        for _ in range(steps):
            said = player(context, age * CONTROL_PERIOD)
            tally.estimate(said.get("velocity"), velocity)
            step = task.step(said["action"])
            velocity = step.velocity
            tally.add(velocity, task.engine.qvel[:, 5], step.done & ~step.timeout)
            if watch is not None:
                watch(context, said, step)
            age = torch.where(step.done[:, None], 0.0, age + 1)
            newest = see(step.observation)[:, None]
            context = torch.where(step.done[:, None, None], newest, torch.cat([newest, context[:, :-1]], 1))
        return tally.outcome()

    def _tiles(self) -> tuple[Tensor, Tensor]:
        """Column and row where each robot starts: those of an arena are spread evenly, so that both directions occur
        equally often."""
        edge = min(1, (ARENA - 1) // 2)
        inner = ARENA - 2 * edge
        number = torch.arange(len(self.cell), device=self.device) % self.each % inner**2
        return self.cell * ARENA + edge + number % inner, edge + number // inner


def _frame(observation: Observation) -> Tensor:
    return observation.frame


def _sees_everything(player: Player, task: LocomotionTask) -> bool:
    """Whether the policy reads what only a simulation knows."""
    return player.contract.inputs[0].shape[-1] == task.frame_size + task.extra_size


class _Tally:
    """Running sums of a trial."""

    def __init__(self, command: Tensor, steps: int, settle: int) -> None:
        self.command, self.steps, self.settle, self.t = command, steps, settle, 0
        zero = torch.zeros_like(command[:, 0])
        self.alive = torch.ones_like(zero, dtype=torch.bool)
        self.linear, self.angular, self.made, self.square = zero.clone(), zero.clone(), zero.clone(), zero.clone()
        self.linear_window, self.angular_window = zero.clone(), zero.clone()
        self.window = torch.zeros_like(command)
        self.windows = 0
        self.speed = torch.linalg.vector_norm(command[:, :2], dim=-1)

    def estimate(self, said: Tensor | None, velocity: Tensor) -> None:
        if said is not None and self.t >= self.settle:
            self.square += torch.where(self.alive, (said - velocity)[:, :2].square().sum(-1), 0.0)

    def add(self, velocity: Tensor, yaw_rate: Tensor, fell: Tensor) -> None:
        self.alive &= ~fell
        moved = torch.cat([velocity[:, :2], yaw_rate[:, None]], -1) * self.alive[:, None]
        along = (moved[:, :2] * self.command[:, :2]).sum(-1) / self.speed.clamp(min=1e-6)
        self.made += along * CONTROL_PERIOD
        if self.t >= self.settle:
            linear, angular = _errors(self.command, moved)
            self.linear += linear
            self.angular += angular
            self.window += moved
            length = round(WINDOW / CONTROL_PERIOD)
            if (self.t - self.settle + 1) % length == 0:
                linear, angular = _errors(self.command, self.window / length)
                self.linear_window += linear
                self.angular_window += angular
                self.windows += 1
                self.window.zero_()
        self.t += 1

    def outcome(self) -> Outcome:
        counted, windows = self.steps - self.settle, max(self.windows, 1)
        asked = self.speed * self.steps * CONTROL_PERIOD
        return Outcome(
            self.linear / counted,
            self.angular / counted,
            self.linear_window / windows,
            self.angular_window / windows,
            ~self.alive,
            self.made / asked.clamp(min=1e-6),
            self.square / counted,
        )


def _errors(command: Tensor, moved: Tensor) -> tuple[Tensor, Tensor]:
    linear = torch.linalg.vector_norm(command[:, :2] - moved[:, :2], dim=-1)
    return linear, (command[:, 2] - moved[:, 2]).abs()


def calm() -> TaskSettings:
    """The nominal robot, sensor noise on, nothing else random: for checks on flat ground."""
    return TaskSettings(randomisation=Randomisation.none(), spawn_speed=0.0)
