"""What a policy's latent knows of its world: latents of walking robots, with what they walked on and carried.

The paper shows a picture (t-SNE, section 3.3). A picture can show anything, so beside it stand figures: the
silhouette of the terrains, and linear probes on trajectories that no probe has seen.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from him.bench.evaluation import TERRAINS, walking
from him.bench.markdown import grid
from him.bench.player import Player
from him.bench.trial import SETTLE, Cell, Ground
from him.env.factors import NAMES
from him.env.protocol import Step
from him.env.settings import Randomisation, TaskSettings
from him.errors import HimError
from him.sim.engine import CONTROL_PERIOD


@dataclass(frozen=True)
class LatentSettings:
    """How much is looked at."""

    robots: int = 128
    """Robots for each terrain and level; a robot is one trajectory."""
    levels: tuple[int, ...] = (0, 2, 4, 6)
    seconds: float = 10.0
    instants: int = 10
    """Latents kept of each trajectory, evenly spaced after the first second."""
    points: int = 2000
    """Latents in the picture."""
    seed: int = 1000

    def __post_init__(self) -> None:
        if self.robots < 4 or self.instants < 1 or self.seconds <= SETTLE:
            raise HimError(f"latents need at least 4 robots, one instant and more than {SETTLE:g} s")


@dataclass
class Walks:
    """Latents and labels, one row an instant."""

    latent: np.ndarray
    history: np.ndarray
    """What the encoder saw, flattened: nothing can be in the latent that is not in here."""
    robot: np.ndarray
    """Which trajectory the row is of."""
    labels: dict[str, np.ndarray]
    """terrain (index into `TERRAINS`), level, friction and payload."""


def walk(player: Player, settings: LatentSettings, device: str | None = None) -> Walks:
    """Robots of one policy on all terrains, randomised as in training, but for the base's own mass.

    Worlds only tell the mass of base and payload together; with the base's own left alone that is the payload's.
    """
    if "latent" not in player.outputs:
        raise HimError(f"{player.path} tells no latent; choose a policy of him or regression")
    cells = [Cell(kind, level) for kind in TERRAINS for level in settings.levels]
    random = replace(Randomisation(), base_mass=(1.0, 1.0))
    ground = Ground(
        player.robot,
        cells,
        settings.robots,
        TaskSettings(randomisation=random, factors=True),
        device,
        settings.seed,
    )
    album = _Album(settings, len(ground.cell), ground.device)
    torch.manual_seed(settings.seed)
    ground.run(player, walking(len(ground.cell), 0.3, 1.0, ground.device), settings.seconds, watch=album.add)
    return album.walks(cells, ground.cell)


class _Album:
    """Keeps what the robots that still walk saw and said at some instants."""

    def __init__(self, settings: LatentSettings, robots: int, device: torch.device) -> None:
        last = round(settings.seconds / CONTROL_PERIOD) - 1
        spaced = np.linspace(round(SETTLE / CONTROL_PERIOD), last, settings.instants)
        self.wanted = {round(t) for t in spaced}
        self.t, self.alive = 0, torch.ones(robots, dtype=torch.bool, device=device)
        self.factors: Tensor | None = None
        self.pages: list[tuple[Tensor, Tensor, Tensor]] = []

    def add(self, context: Tensor, said: dict[str, Tensor], step: Step) -> None:
        if self.factors is None:
            self.factors = step.observation.extra[:, -len(NAMES) :].clone()
        if self.t in self.wanted:
            who = self.alive.nonzero()[:, 0]
            self.pages.append((who, said["latent"][who], context[who].flatten(1)))
        self.alive &= ~step.done
        self.t += 1

    def walks(self, cells: list[Cell], cell: Tensor) -> Walks:
        robot, latent, history = (torch.cat(parts).cpu().numpy() for parts in zip(*self.pages, strict=True))
        assert self.factors is not None
        factors, place = self.factors.cpu().numpy()[robot], cell.cpu().numpy()[robot]
        labels = {
            "terrain": np.array([TERRAINS.index(cells[i].kind) for i in place]),
            "level": np.array([cells[i].level for i in place], float),
            "friction": factors[:, NAMES.index("friction")],
            "payload": factors[:, NAMES.index("mass")],
        }
        return Walks(latent, history, robot, labels)


PAGE = """# What the latent knows, {robot}

Silhouette of the four terrains, and linear probes on trajectories that were held out, with 95 % intervals over these
trajectories (bootstrap). Chance is 0.25 for the terrain and 0 for R². Read from the history: the same probe on all the
encoder saw, which says how much of it there was to be known.

{table}
"""

LABELS = ("terrain", "level", "friction", "payload")


def markdown(result: dict[str, Any]) -> str:
    """The figures as a page."""

    def text(score: dict[str, float]) -> str:
        return f"{score['score']:.3f} [{score['low']:.3f}, {score['high']:.3f}]"

    head = ["policy", "read from", "silhouette", "terrain, accuracy", "level, R²", "friction, R²", "payload, R²"]
    body = []
    for about in result["policies"].values():
        for source in ("latent", "history"):
            scores = [text(about["probes"][label][source]) for label in LABELS]
            body.append([about["title"], source, f"{about['silhouette'][source]:.3f}", *scores])
    return PAGE.format(robot=result["robot"], table=grid(head, body))
