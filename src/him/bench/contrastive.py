"""The contrastive question: does the swapped prediction teach the encoder anything, or does its loss only stand there?

Both losses of the internal model pull at the same hidden layers of the encoder. How hard each pulls is measured on a
rollout of the trained policy, at its weights and at fresh ones, together with what the loss could reach at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from him.bench.trial import Cell, Ground
from him.env.presets import World
from him.errors import HimError
from him.fields import build
from him.learn.him import internal_loss, sinkhorn
from him.learn.learner import Learner
from him.learn.method import Him
from him.learn.rollout import View
from him.learn.settings import HimSettings
from him.methods import METHODS, packing

LEVELS = (0, 2, 4, 6)


@dataclass(frozen=True)
class ContrastiveSettings:
    """How much is looked at."""

    robots: int = 64
    """Robots for each terrain and level."""
    rollouts: int = 10
    """Rollouts walked before the one that is looked at, so that robots are under way."""
    seed: int = 1000


def measure(folder: Path, settings: ContrastiveSettings, device: str | None = None) -> dict[str, Any]:
    """Pull of the two losses in a run of HIM, at fresh weights and at its own, on the same rollout."""
    method, record, manifest = packing.load(folder)
    if not isinstance(method, Him) or not method.auxiliary_parameters():
        raise HimError(f"{folder} trained {record['method']}, which has no contrastive loss")
    torch.manual_seed(settings.seed)
    inputs = _inputs(method, folder, record, settings, device)
    fresh = METHODS[record["method"]](method.sizes, method.settings).to(inputs[0].device)
    assert isinstance(fresh, Him)
    him = method.settings.him
    return {
        "run": folder.name,
        "samples": manifest.samples,
        **varied(him),
        "start": look(fresh, inputs),
        "end": look(method, inputs),
    }


def _inputs(
    method: Him, folder: Path, record: dict[str, Any], settings: ContrastiveSettings, device: str | None
) -> tuple[Tensor, ...]:
    """What the auxiliary loss reads of one rollout of the trained policy, on terrains of several levels."""
    about = record["about"]
    world = build(World, about["world"])
    kinds = [kind for kind, share in asdict(world.terrain.shares).items() if share > 0]
    first, beyond = world.terrain.first_level, world.terrain.first_level + world.terrain.levels
    levels = [level for level in LEVELS if first <= level < beyond] or [first]
    cells = [Cell(kind, level) for kind in kinds for level in levels]
    ground = Ground(packing.table(folder, about["robot"]), cells, settings.robots, world.task, device, settings.seed)
    learner = Learner(ground.task, method)
    learner.start()
    for _ in range(settings.rollouts + 1):
        learner.collect()
    everything = torch.arange(learner.batch_size, device=ground.device)
    return method.auxiliary_inputs(View.flat(learner.rollout, everything))


@dataclass(frozen=True)
class Bounds:
    """What the contrastive loss can be."""

    uniform: float
    """Where no prototype is preferred: what a loss that teaches nothing stays at."""
    floor: float
    """No cosine can bring it below: the right prototype at 1, all others at -1."""


def varied(him: HimSettings) -> dict[str, Any]:
    """What variants of the loss differ in, and what it can be."""
    names = ("temperature", "over_prototypes", "contrastive_weight", "prototypes", "target_input")
    return {name: getattr(him, name) for name in names} | asdict(bounds(him))


def bounds(him: HimSettings) -> Bounds:
    k = him.prototypes
    per = k if him.over_prototypes == "mean" else 1
    return Bounds(math.log(k) / per, math.log1p((k - 1) * math.exp(-2.0 / him.temperature)) / per)


def look(method: Him, inputs: Sequence[Tensor]) -> dict[str, float]:
    """Losses, the share of the contrastive one in the encoder's gradient, and how the prototypes are used."""
    history, successor, velocity = inputs
    him, model = method.settings.him, method.model
    pulls, losses = {}, {}
    hidden = [p for layer in list(model.encoder)[:-1] for p in layer.parameters()]
    alone = {"velocity": replace(him, contrastive_weight=0.0), "contrastive": replace(him, velocity_weight=0.0)}
    for name, settings in alone.items():
        loss, parts = internal_loss(model, history, successor, velocity, settings)
        losses[name] = float(parts[f"loss/{name}"])
        pulls[name] = torch.cat([gradient.flatten() for gradient in torch.autograd.grad(loss, hidden)])
    sizes = {name: float(pull.norm()) for name, pull in pulls.items()}
    angle = torch.nn.functional.cosine_similarity(pulls["velocity"], pulls["contrastive"], dim=0)
    return {
        "velocity_loss": losses["velocity"],
        "contrastive_loss": losses["contrastive"],
        "velocity_pull": sizes["velocity"],
        "contrastive_pull": sizes["contrastive"],
        "share": sizes["contrastive"] / max(sum(sizes.values()), 1e-12),
        "cosine": float(angle),
    } | prototypes(method, history, successor)


@torch.no_grad()
def prototypes(method: Him, history: Tensor, successor: Tensor) -> dict[str, float]:
    """Whether both encoders choose the same prototype, and how many prototypes are chosen at all."""
    him, model = method.settings.him, method.model
    source = model.scores(model(history)[1])
    target = model.scores(model.respond(successor))
    agreed = (source.argmax(-1) == target.argmax(-1)).float().mean()
    shares = torch.bincount(source.argmax(-1), minlength=him.prototypes) / len(source)
    chosen = torch.exp(-torch.special.xlogy(shares, shares).sum())
    sharp = sinkhorn(source, him.epsilon, him.sinkhorn_iterations).amax(-1).mean()
    return {"agreement": float(agreed), "chosen": float(chosen), "sharpness": float(sharp)}
