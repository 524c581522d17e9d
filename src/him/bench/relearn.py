"""Internal models taught anew on the walks of one policy, so that nothing but their loss differs.

In a training run the internal model decides what the policy does, and so what both learn from next. Here a trained
policy walks first, with noise, and every variant of the loss learns from the same instants. What it then knows is
judged on robots that it was not taught with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from him.bench import probes
from him.bench.contrastive import LEVELS, look, varied
from him.bench.evaluation import TERRAINS
from him.bench.latent import Walks
from him.bench.player import Player
from him.bench.trial import Cell, Ground
from him.env.protocol import VELOCITY, Sizes, Step
from him.env.settings import TaskSettings
from him.learn.method import Him
from him.learn.optimiser import Optimiser
from him.learn.rollout import View
from him.learn.settings import TrainSettings
from him.sim.engines import default_device

ASIDE = 4
"""One robot in so many is not learned from."""

MOST = 16384
"""Instants that the pulls of the losses are measured on."""


@dataclass(frozen=True)
class RelearnSettings:
    """How much is walked and learned."""

    robots: int = 64
    """Robots for each terrain and level."""
    seconds: float = 10.0
    """Time they walk."""
    noise: float = 0.22
    """Standard deviation of the actions; what training ends with."""
    epochs: int = 10
    """Passes over what was walked."""
    batch: int = 4096
    """Instants in a step of the optimiser."""
    seed: int = 1000


@dataclass
class Lessons(View):
    """Instants to learn from, one row each."""

    rows: tuple[Tensor, Tensor, Tensor, Tensor]
    """History, successor, velocity, and the successor's as the critic sees it."""

    def history(self) -> Tensor:
        return self.rows[0]

    def successor(self) -> Tensor:
        return self.rows[1]

    def velocity(self) -> Tensor:
        return self.rows[2]

    def successor_velocity(self) -> Tensor:
        return self.rows[3]


class Explorer(Player):
    """Acts with noise, as in training."""

    noise = 0.0

    def __call__(self, history: Tensor, time: Tensor | None = None) -> dict[str, Tensor]:
        said = super().__call__(history, time)
        return said | {"action": said["action"] + self.noise * torch.randn_like(said["action"])}


class _Notebook:
    """Keeps what is seen, robots to learn from and robots put aside apart."""

    def __init__(self) -> None:
        self.taught: list[tuple[Tensor, ...]] = []
        self.aside: list[tuple[Tensor, ...]] = []
        self.velocity: Tensor | None = None

    def add(self, context: Tensor, said: dict[str, Tensor], step: Step) -> None:
        if self.velocity is not None:
            row = context, step.final.frame, self.velocity, step.final.extra[:, VELOCITY]
            aside = torch.arange(len(context), device=context.device) % ASIDE == ASIDE - 1
            self.taught.append(tuple(part[~aside] for part in row))
            self.aside.append(tuple(part[aside] for part in row))
        self.velocity = step.velocity.clone()


def walk(policy: Path, settings: RelearnSettings, device: str | None = None) -> tuple[Sizes, Lessons, Lessons]:
    """What robots of a policy saw under commands of any kind: to learn from, and put aside."""
    cells = [Cell(kind, level) for kind in TERRAINS for level in LEVELS]
    where = torch.device(device) if device else default_device()
    player = Explorer(policy, where)
    player.noise = settings.noise
    ground = Ground(player.robot, cells, settings.robots, TaskSettings(), where, settings.seed)
    notebook = _Notebook()
    torch.manual_seed(settings.seed)
    commands = 2 * torch.rand(len(ground.cell), 3, device=where) - 1
    ground.run(player, commands, settings.seconds, watch=notebook.add)
    return Sizes.of(ground.task), _lessons(notebook.taught), _lessons(notebook.aside)


def _lessons(pages: list[tuple[Tensor, ...]]) -> Lessons:
    history, successor, velocity, followed = (torch.cat(parts) for parts in zip(*pages, strict=True))
    return Lessons((history, successor, velocity, followed))


def measure(
    name: str,
    changes: dict[str, Any],
    walked: tuple[Sizes, Lessons, Lessons],
    walks: Walks | None,
    settings: RelearnSettings,
) -> dict[str, Any]:
    """Teach one variant of the internal model; what its losses pull and what it knows, before and after. The figures
    are named as those of a run (`him.bench.contrastive.measure`)."""
    sizes, taught, aside = walked
    torch.manual_seed(settings.seed)
    usual = TrainSettings()
    him = replace(usual.him, **changes)
    method = Him(sizes, replace(usual, him=him)).to(taught.history().device)
    inputs = method.auxiliary_inputs(aside)
    chosen = torch.randperm(len(inputs[0]))[:MOST].to(inputs[0].device)
    seen = [part[chosen] for part in inputs]
    start = look(method, seen)
    teach(method, taught, settings)
    return {
        "run": name,
        "samples": settings.epochs * len(taught.history()),
        **varied(him),
        "start": start,
        "end": look(method, seen) | {"velocity_loss": mean_square(method, inputs)},
        "probes": None if walks is None else ask(method, walks),
    }


def teach(method: Him, lessons: Lessons, settings: RelearnSettings) -> None:
    """The rate falls in a line, as at the end of a run."""
    inputs = method.auxiliary_inputs(lessons)
    device, him = inputs[0].device, method.settings.him
    rate = torch.tensor(him.learning_rate, device=device)
    optimiser = Optimiser(method.auxiliary_parameters(), rate, him.max_gradient)
    batches = max(len(inputs[0]) // settings.batch, 1)
    for epoch in range(settings.epochs):
        order = torch.randperm(len(inputs[0])).to(device).tensor_split(batches)
        for number, index in enumerate(order):
            done = (epoch + number / batches) / settings.epochs
            rate.fill_(him.learning_rate * (1.0 - done))
            optimiser.step(method.auxiliary_loss(*(part[index] for part in inputs))[0])


@torch.no_grad()
def mean_square(method: Him, inputs: tuple[Tensor, ...]) -> float:
    """Squared error of the velocity, (m/s)^2 a component."""
    history, _, velocity = inputs
    parts = zip(history.split(MOST), velocity.split(MOST), strict=True)
    squares = [(method.model(past)[0] - true).square().sum() for past, true in parts]
    return float(torch.stack(squares).sum() / velocity.numel())


@torch.no_grad()
def ask(method: Him, walks: Walks) -> dict[str, dict[str, Any]]:
    """Linear probes on what this model makes of the histories of labelled walks."""
    him, weight = method.settings.him, next(method.parameters())
    history = torch.from_numpy(walks.history).to(weight).view(len(walks.history), him.history, -1)
    latent = torch.cat([method.model(part)[1] for part in history.split(MOST)]).cpu().numpy()
    held = probes.held_out(walks.robot)
    return {
        label: {"latent": probes.probe(latent, values, walks.robot, held, label == "terrain")}
        for label, values in walks.labels.items()
    }
