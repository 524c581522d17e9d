"""What a policy can do: the paper's tracking rows, success by terrain and level, its velocity estimate, standing."""

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from him.bench.player import Player
from him.bench.trial import Cell, Ground, calm
from him.env.settings import Noise

TERRAINS = ("slope", "rough_slope", "stairs", "obstacles")

PAPER_LEVELS = (1, 2, 3, 4)
"""Levels of the paper's tracking table, in equal parts (appendix B.2)."""

NARROW, WIDE = (1.0, 1.0, 1.0), (2.0, 1.0, 2.0)
"""Command ranges of that table: everywhere, and on slopes and rough slopes also the wide one."""

PAPER = {
    ("slope", "narrow"): (0.073, 0.084, 0.078, 0.047),
    ("slope", "wide"): (0.075, 0.124, 0.094, 0.067),
    ("rough_slope", "narrow"): (0.086, 0.097, 0.088, 0.054),
    ("rough_slope", "wide"): (0.085, 0.143, 0.103, 0.076),
    ("stairs", "narrow"): (0.147, 0.087, 0.135, 0.096),
    ("obstacles", "narrow"): (0.125, 0.083, 0.125, 0.075),
}
"""Column "Ours" of the paper's tracking table: linear, angular, combined linear, combined angular."""


@dataclass(frozen=True)
class EvalSettings:
    """How much is measured."""

    robots: int = 1000
    """Robots for each terrain and level in the success table."""
    trials: int = 5120
    """Trials for each terrain, command and range in the tracking rows (paper: 4096 x 5), over four levels."""
    levels: tuple[int, ...] = tuple(range(10))
    """Levels of the success table."""
    seed: int = 1000
    device: str | None = None


def tracking(player: Player, settings: EvalSettings) -> list[dict[str, Any]]:
    """The 24 rows of the paper's tracking table, with 95 % intervals and falls."""
    cells = [Cell(kind, level) for kind in TERRAINS for level in PAPER_LEVELS]
    each = max(settings.trials // len(PAPER_LEVELS), 1)
    ground = Ground(player.contract.robot, cells, each, device=settings.device, seed=settings.seed)
    kinds = torch.tensor([TERRAINS.index(cell.kind) for cell in cells], device=ground.device)[ground.cell]
    rows = []
    for name, widest in (("narrow", NARROW), ("wide", WIDE)):
        for test, mask in (("linear", (1, 1, 0)), ("angular", (0, 0, 1)), ("combined", (1, 1, 1))):
            limits = torch.tensor(widest, device=ground.device) * torch.tensor(mask, device=ground.device)
            command = (2 * torch.rand(len(kinds), 3, device=ground.device) - 1) * limits
            outcome = ground.run(player, command)
            for k, kind in enumerate(TERRAINS):
                if (kind, name) not in PAPER:
                    continue
                chosen = kinds == k
                for what, paper in _figures(test, PAPER[kind, name]):
                    error, window = getattr(outcome, what)[chosen], getattr(outcome, f"{what}_window")[chosen]
                    rows.append(
                        {
                            "terrain": kind,
                            "range": name,
                            "test": test,
                            "error": what,
                            "paper": paper,
                            "measured": round(float(error.mean()), 4),
                            "interval": round(float(1.96 * error.std() / len(error) ** 0.5), 4),
                            "half_second": round(float(window.mean()), 4),
                            "falls": int(outcome.fell[chosen].sum()),
                            "trials": len(error),
                        }
                    )
    return rows


def _figures(test: str, paper: tuple[float, float, float, float]) -> list[tuple[str, float]]:
    if test == "linear":
        return [("linear", paper[0])]
    if test == "angular":
        return [("angular", paper[1])]
    return [("linear", paper[2]), ("angular", paper[3])]


def success(player: Player, settings: EvalSettings) -> list[dict[str, Any]]:
    """Share of robots that neither fall in 10 s nor make less than 80 % of the way, at 0.3 to 1 m/s any way."""
    cells = [Cell(kind, level) for kind in TERRAINS for level in settings.levels]
    ground = Ground(player.contract.robot, cells, settings.robots, device=settings.device, seed=settings.seed + 1)
    command = _walking(len(ground.cell), 0.3, 1.0, ground.device)
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
    """On flat ground: the velocity estimate's error, following slow commands, and standing still."""
    ground = Ground(player.contract.robot, [Cell("flat", 0)], robots, device=settings.device, seed=settings.seed)
    command = (2 * torch.rand(robots, 3, device=ground.device) - 1) * torch.tensor(NARROW, device=ground.device)
    outcome = ground.run(player, command)
    result = {
        "estimate_rms": float(outcome.estimate.mean().sqrt()),
        "linear_error": float(outcome.linear.mean()),
        "angular_error": float(outcome.angular.mean()),
        "falls": int(outcome.fell.sum()),
    }
    for noise in ("off", "on"):
        result |= {f"stand_{k}_noise_{noise}": v for k, v in _standing(player, noise, settings).items()}
    return {name: round(value, 4) for name, value in result.items()}


def _standing(player: Player, noise: str, settings: EvalSettings, robots: int = 64) -> dict[str, float]:
    """Mean speed of base and joints under a zero command, seconds 2 to 10."""
    quiet = calm()
    if noise == "off":
        quiet = replace(quiet, noise=Noise(scale=0.0))
    ground = Ground(player.contract.robot, [Cell("flat", 0)], robots, quiet, settings.device, settings.seed)
    speeds: dict[str, list[Tensor]] = {"base_speed": [], "joint_speed": []}
    engine, task = ground.task.engine, ground.task
    step = task.step

    def watched(action: Tensor) -> Any:
        result = step(action)
        speeds["base_speed"].append(torch.linalg.vector_norm(engine.qvel[:, :3], dim=-1).mean())
        speeds["joint_speed"].append(engine.qvel[:, 6:].abs().mean())
        return result

    task.step = watched  # type: ignore[method-assign]
    ground.run(player, torch.zeros(robots, 3, device=ground.device))
    return {name: float(torch.stack(values[100:]).mean()) for name, values in speeds.items()}


def _walking(n: int, low: float, high: float, device: torch.device) -> Tensor:
    speed = low + (high - low) * torch.rand(n, device=device)
    angle = 2 * torch.pi * torch.rand(n, device=device)
    return torch.stack([speed * torch.cos(angle), speed * torch.sin(angle), torch.zeros_like(speed)], -1)
