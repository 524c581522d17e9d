"""The paper's table of tracking errors (appendix B.2): every cell of it, in a few large runs.

All cells of a range are simulated at once, in blocks, and every policy meets the same worlds and commands. A block
leaves means over small groups of trials, each with robots of all levels: enough for intervals, and for comparing
policies group by group.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from him.bench.paper import ROWS
from him.bench.player import Player
from him.bench.statistics import estimate
from him.bench.trial import SECONDS, Cell, Ground
from him.env.settings import Randomisation, TaskSettings
from him.errors import HimError
from him.robots import Robot
from him.sim.engine import CONTROL_PERIOD

LEVELS = (1, 2, 3, 4)
"""In equal parts (appendix B.2)."""

RANGES = {"narrow": (1.0, 1.0, 1.0), "wide": (2.0, 1.0, 2.0)}
"""Largest forward, sideways and yaw command."""

TESTS = {"linear": (1, 1, 0), "angular": (0, 0, 1), "combined": (1, 1, 1)}
"""Which of the three commands are given."""

FORCES = {
    "authors": Randomisation(
        force=Randomisation.force * 0.005 / CONTROL_PERIOD,
        force_share=CONTROL_PERIOD / 0.160,
        force_seconds=(CONTROL_PERIOD, CONTROL_PERIOD),
    ),
    "training": Randomisation(),
}
"""External forces of a trial. The authors' act for 5 ms of every 160; here a force acts for a control period at least,
so less of it for longer, as often: the same jolts."""

Forces = Literal["authors", "training"]

GROUPS = 16
"""At most so many groups of trials a block."""

BLOCK = {"cuda": 4096, "cpu": 64}
"""Trials of a cell simulated at once, at most: 49152 robots fill a GPU, and CPU cores gain nothing from many."""

Block = dict[str, dict[str, Any]]
"""What one block says of each row."""


@dataclass(frozen=True)
class TrackingSettings:
    """How much is measured."""

    trials: int = 20480
    """Trials for each terrain, command and range (paper: 4096 x 5), over four levels."""
    block: int = BLOCK["cuda"]
    """Trials of a cell simulated at once, at most; by default as many as suit the device. Policies can only be
    compared trial by trial where it was the same."""
    seconds: float = SECONDS
    """Length of a trial."""
    seed: int = 1000
    """Of the worlds and the commands."""
    forces: Forces = "authors"
    """External forces as in the paper's own trials, or as in our training."""

    def __post_init__(self) -> None:
        if min(self.trials, self.block) < 2 * len(LEVELS):
            raise HimError(f"tracking needs at least {2 * len(LEVELS)} trials, or its intervals are not known")

    @property
    def blocks(self) -> int:
        return math.ceil(self.trials / self.block)

    @property
    def groups(self) -> tuple[int, int]:
        """Groups a block, and robots of each level in a group."""
        each = math.ceil(self.trials / self.blocks / len(LEVELS))
        size = math.ceil(each / GROUPS)
        return math.ceil(each / size), size


def terrains(width: str) -> tuple[str, ...]:
    """Where a range is measured."""
    return tuple(dict.fromkeys(row.terrain for row in ROWS if row.range == width))


def lay(robot: Robot | str, width: str, settings: TrackingSettings, device: str | None = None) -> Ground:
    """Arenas of all terrains and levels of a range, with the robots of one block."""
    cells = [Cell(kind, level) for kind in terrains(width) for level in LEVELS]
    each = len(TESTS) * math.prod(settings.groups)
    task = TaskSettings(randomisation=FORCES[settings.forces])
    return Ground(robot, cells, each, task, device, settings.seed)


def commands(ground: Ground, width: str) -> Tensor:
    """A command for every robot: the robots of an arena are shared out to the three tests."""
    which = torch.arange(len(ground.cell), device=ground.device) % ground.each * len(TESTS) // ground.each
    given = torch.tensor(list(TESTS.values()), device=ground.device)[which]
    limits = torch.tensor(RANGES[width], device=ground.device) * given
    return (2 * torch.rand(len(which), 3, device=ground.device) - 1) * limits


def measure(ground: Ground, player: Player, width: str, number: int, settings: TrackingSettings) -> Block:
    """One block of a range. The seed makes it the same for every policy."""
    torch.manual_seed(settings.seed + 1 + number)
    outcome = ground.run(player, commands(ground, width), settings.seconds)
    kinds, tests, (groups, size) = terrains(width), list(TESTS), settings.groups
    shape = (len(kinds), len(LEVELS), len(tests), groups, size)

    def mine(values: Tensor, kind: int, test: int) -> Tensor:
        return values.view(shape)[kind, :, test]

    block: Block = {}
    for row in ROWS:
        if row.range == width:
            at = kinds.index(row.terrain), tests.index(row.test)
            means = mine(getattr(outcome, row.error), *at).mean((0, 2))
            block[row.key] = {
                "groups": [round(value, 5) for value in means.tolist()],
                "half_second": round(float(mine(getattr(outcome, f"{row.error}_window"), *at).mean()), 5),
                "falls": int(mine(outcome.fell, *at).sum()),
                "trials": len(LEVELS) * groups * size,
            }
    return block


def everything(player: Player, settings: TrackingSettings, device: str | None = None) -> Iterator[Block]:
    """All blocks of all ranges of one policy."""
    for width in RANGES:
        ground = lay(player.robot, width, settings, device)
        for number in range(settings.blocks):
            yield measure(ground, player, width, number, settings)


def rows(blocks: list[Block]) -> list[dict[str, Any]]:
    """The table's lines, with intervals and falls, beside the paper's column "Ours"."""
    lines = []
    for row in ROWS:
        if parts := [block[row.key] for block in blocks if row.key in block]:
            measured = estimate([value for part in parts for value in part["groups"]])
            lines.append(
                {
                    "terrain": row.terrain,
                    "range": row.range,
                    "test": row.test,
                    "error": row.error,
                    "paper": row.printed["him"],
                    "measured": round(measured.mean, 4),
                    "interval": round(measured.interval, 4),
                    "half_second": round(sum(part["half_second"] for part in parts) / len(parts), 4),
                    "falls": sum(part["falls"] for part in parts),
                    "trials": sum(part["trials"] for part in parts),
                }
            )
    return lines
