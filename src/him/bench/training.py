"""How fast training is: rollouts and both updates, without checkpoints and metrics, on the terrain of a preset."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch

from him.bench.sim import counted, device_name, gpu_memory, synchronise
from him.env.make import make_task
from him.env.presets import WORLDS
from him.env.protocol import Sizes
from him.learn import presets
from him.learn.learner import Learner, prepared
from him.learn.trainer import seed_everything
from him.methods import METHODS, task_for


@dataclass(frozen=True)
class SpeedSettings:
    """Workload of the trainer's benchmark."""

    robot: str = "aliengo"
    """Name or table of a robot."""
    preset: str = "default"
    """Whose networks, rollouts and terrain."""
    method: str = "him"
    """What is trained; of methods with two phases the first."""
    envs: int | None = None
    """Environments; by default the preset's."""
    iterations: int = 20
    """Rollouts with their updates that are timed, as a whole and then part by part; of parts the median counts."""
    warmup: int = 5
    """Iterations before the first."""
    device: str | None = None
    """Torch device; by default the GPU where there is one."""
    seed: int = 0


def measure(settings: SpeedSettings) -> dict[str, Any]:
    """Samples a second, and what the parts of an iteration take."""
    learner = _learner(settings)
    task, steps = learner.task, learner.rollout.steps
    for _ in counted(settings.warmup, "warm-up"):
        learner.iterate()

    def physics_alone() -> None:
        for _ in range(steps):
            task.simulate()

    def train() -> None:
        for _ in counted(settings.iterations, "measuring"):
            learner.iterate()

    # nobody waits for the device within a run, so the whole takes less than its parts, after each of which one does
    whole = _timed(train, task.device) / settings.iterations
    parts: dict[str, list[float]] = {"collect": [], "update": [], "physics": []}
    for _ in counted(settings.iterations, "parts"):
        parts["collect"].append(_timed(learner.collect, task.device))
        parts["update"].append(_timed(learner.update, task.device))
    # alone, on the states that training has come to; the learner knows nothing of these steps, so they come last
    for _ in range(settings.iterations):
        parts["physics"].append(_timed(physics_alone, task.device))
    collect, update, physics = (float(np.median(times)) for times in parts.values())
    return {
        **asdict(settings),
        "envs": task.num_envs,
        "rollout": steps,
        "device": device_name(task.device),
        "samples_per_s": round(task.num_envs * steps / whole),
        "iteration_ms": round(1e3 * whole, 2),
        "physics_ms_a_step": round(1e3 * physics / steps, 3),
        "rest_ms_a_step": round(1e3 * (collect - physics) / steps, 3),
        "update_ms": round(1e3 * update, 1),
        **gpu_memory(task.device),
    }


def _learner(settings: SpeedSettings) -> Learner:
    chosen = presets.preset(settings.preset)
    chosen = replace(chosen, envs=settings.envs or chosen.envs, seed=settings.seed)
    world = WORLDS[settings.preset]()
    world = replace(world, task=task_for(settings.method, world.task))
    seed_everything(settings.seed)
    task = make_task(settings.robot, chosen.envs, settings.seed, world, settings.device)
    learner = prepared(task, METHODS[settings.method](Sizes.of(task), chosen))
    learner.start()
    return learner


def _timed(work: Callable[[], Any], device: torch.device) -> float:
    synchronise(device)
    began = time.perf_counter()
    work()
    synchronise(device)
    return time.perf_counter() - began
