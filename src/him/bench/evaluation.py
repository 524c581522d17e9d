"""What a policy can do: the paper's tracking rows, success by terrain and level, its velocity estimate, standing."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
from torch import Tensor

from him.bench import tracking as table
from him.bench.player import Player
from him.bench.tracking import RANGES, Forces, TrackingSettings, terrains
from him.bench.trial import SETTLE, Cell, Ground, calm
from him.env.geometry import to_world
from him.env.protocol import Step
from him.env.settings import Noise
from him.sim import engines
from him.sim.engine import CONTROL_PERIOD

TERRAINS = terrains("narrow")
"""Where success is measured: the terrains of the paper's table of tracking errors."""

PULL = 1.5
"""Largest steady force, in newtons for each kilogram of a robot."""


@dataclass(frozen=True)
class EvalSettings:
    """How much is measured."""

    robots: int = 1000
    """Robots for each terrain and level in the success table."""
    trials: int = 5120
    """Trials for each terrain, command and range in the tracking rows (paper: 4096 x 5), over four levels."""
    levels: tuple[int, ...] = tuple(range(10))
    """Levels of the success table."""
    ways: Literal["any", "forward"] = "any"
    """Directions of the success table's commands. Head on, stairs are harder than at an angle."""
    forces: Forces = TrackingSettings.forces
    """External forces in the tracking rows: as the paper's authors apply them, or as in training."""
    seed: int = 1000
    device: str | None = None


def tracking(player: Player, settings: EvalSettings) -> list[dict[str, Any]]:
    """The 24 rows of the paper's tracking table, with 95 % intervals and falls."""
    device = torch.device(settings.device) if settings.device else engines.default_device()
    much = TrackingSettings(settings.trials, table.BLOCK[device.type], seed=settings.seed, forces=settings.forces)
    return table.rows(list(table.everything(player, much, settings.device)))


def success(player: Player, settings: EvalSettings) -> list[dict[str, Any]]:
    """Share of robots that neither fall in 10 s nor make less than 80 % of the way, at 0.3 to 1 m/s."""
    cells = [Cell(kind, level) for kind in TERRAINS for level in settings.levels]
    ground = Ground(player.robot, cells, settings.robots, device=settings.device, seed=settings.seed + 1)
    command = walking(len(ground.cell), 0.3, 1.0, ground.device, settings.ways == "forward")
    outcome = ground.run(player, command)
    good = ~outcome.fell & (outcome.progress >= 0.8)
    table = []
    for i, cell in enumerate(cells):
        mine = ground.cell == i
        table.append(
            {
                "terrain": cell.kind,
                "level": cell.level,
                "success": round(float(good[mine].float().mean()), 4),
                "falls": round(float(outcome.fell[mine].float().mean()), 4),
                "robots": int(mine.sum()),
            }
        )
    return table


def flat(player: Player, settings: EvalSettings, robots: int = 256) -> dict[str, float]:
    """On flat ground: the velocity estimate's error, following slow commands, walking upright, and standing still."""
    ground = Ground(player.robot, [Cell("flat", 0)], robots, device=settings.device, seed=settings.seed)
    command = (2 * torch.rand(robots, 3, device=ground.device) - 1) * torch.tensor(
        RANGES["narrow"], device=ground.device
    )
    heights: list[Tensor] = []

    def watch(context: Tensor, said: dict[str, Tensor], step: Step) -> None:
        heights.append(ground.task.engine.qpos[:, 2].mean())

    outcome = ground.run(player, command, watch=watch)
    result = {
        "estimate_rms": float(outcome.estimate.mean().sqrt()),
        "linear_error": float(outcome.linear.mean()),
        "angular_error": float(outcome.angular.mean()),
        "falls": int(outcome.fell.sum()),
        "height_error": float(torch.stack(heights[round(SETTLE / CONTROL_PERIOD) :]).mean())
        - ground.task.robot.base_height_target,
    }
    result["estimate_sees"] = _seen(player, settings)
    for noise in ("off", "on"):
        result |= {f"stand_{k}_noise_{noise}": v for k, v in _standing(player, noise, settings).items()}
    return {name: round(value, 4) for name, value in result.items()}


def _seen(player: Player, settings: EvalSettings, robots: int = 128) -> float:
    """How much of a change of velocity the estimate sees, from 0 (it says what it expects) to 1: its slope over robots
    that are told to walk alike, and pulled along or back by a steady force."""
    ground = Ground(player.robot, [Cell("flat", 0)], robots, calm(), settings.device, settings.seed)
    task = ground.task
    pull = PULL * task.constants.mass * torch.linspace(-1.0, 1.0, robots, device=ground.device)
    ahead = torch.nn.functional.pad(pull[:, None], (0, 2))
    speeds: list[Tensor] = []

    def watch(context: Tensor, said: dict[str, Tensor], step: Step) -> None:
        if "velocity" in said:
            speeds.append(torch.stack([said["velocity"][:, 0], step.velocity[:, 0]]))
        task.episode.force.copy_(to_world(task.engine.qpos[:, 3:7], ahead))
        task.episode.force_steps.fill_(2.0)

    command = torch.tensor([0.5, 0.0, 0.0], device=ground.device).repeat(robots, 1)
    outcome = ground.run(player, command, watch=watch)
    if not speeds or outcome.fell.all():
        return 0.0
    estimate, true = torch.stack(speeds[100:]).mean(0)[:, ~outcome.fell]
    return float(((estimate - estimate.mean()) * (true - true.mean())).sum() / (true - true.mean()).square().sum())


def _standing(player: Player, noise: str, settings: EvalSettings, robots: int = 64) -> dict[str, float]:
    """Mean speed of base and joints under a zero command, seconds 2 to 10, and how far the base sinks meanwhile."""
    quiet = calm()
    if noise == "off":
        quiet = replace(quiet, noise=Noise(scale=0.0))
    ground = Ground(player.robot, [Cell("flat", 0)], robots, quiet, settings.device, settings.seed)
    speeds: dict[str, list[Tensor]] = {"base_speed": [], "joint_speed": []}
    heights: list[Tensor] = []
    engine = ground.task.engine

    def watch(context: Tensor, said: dict[str, Tensor], step: Step) -> None:
        speeds["base_speed"].append(torch.linalg.vector_norm(engine.qvel[:, :3], dim=-1).mean())
        speeds["joint_speed"].append(engine.qvel[:, 6:].abs().mean())
        heights.append(engine.qpos[:, 2].mean())

    ground.run(player, torch.zeros(robots, 3, device=ground.device), watch=watch)
    means = {name: float(torch.stack(values[100:]).mean()) for name, values in speeds.items()}
    return means | {"sinks": float(heights[100] - heights[-1])}


def walking(n: int, low: float, high: float, device: torch.device, forward: bool = False) -> Tensor:
    """Commands to walk any way, or forward, without turning, at speeds between two."""
    speed = low + (high - low) * torch.rand(n, device=device)
    angle = 2 * torch.pi * torch.rand(n, device=device) * (not forward)
    return torch.stack([speed * torch.cos(angle), speed * torch.sin(angle), torch.zeros_like(speed)], -1)
