"""How fast and how sound the simulator is: random actions on all levels, everything randomised, falls reset."""

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import track
from torch import Tensor

from him import robots, terrain
from him.env import randomisation
from him.env import start as starting
from him.env.episode import Constants
from him.env.geometry import Feet
from him.env.settings import TaskSettings
from him.sim import engines
from him.sim import model as builder
from him.sim.engine import DECIMATION, Engine, Parameters
from him.sim.heights import Heights


@dataclass(frozen=True)
class SimSettings:
    """Workload of the simulator's benchmark."""

    engine: str | None = None
    """warp or native; by default warp where there is a GPU."""
    worlds: int = 4096
    """Robots simulated together."""
    robot: str = "aliengo"
    """Name or table of a robot."""
    steps: int = 500
    """Control periods in a repetition."""
    warmup: int = 100
    """Control periods before the first."""
    repeats: int = 5
    """Repetitions; the median counts."""
    action_std: float = 0.5
    """Standard deviation of the random actions."""
    level: int | None = None
    """Only tiles of this level; all of them by default."""
    device: str | None = None
    """Torch device; by default the GPU where there is one."""
    seed: int = 0


class Workload:
    """Robots acting at random; who falls starts anew on a random tile."""

    def __init__(self, settings: SimSettings) -> None:
        began = time.perf_counter()
        self.settings = settings
        self.robot = robots.load(settings.robot)
        self.task = TaskSettings()
        torch.manual_seed(settings.seed)
        ground = terrain.grid(terrain.TerrainSettings(seed=settings.seed + 1))
        bank = randomisation.bodies(builder.build(self.robot).compile(), self.task.randomisation, settings.seed)
        device = torch.device(settings.device) if settings.device else engines.default_device()
        if settings.engine == "native":
            device = torch.device("cpu")
        self.engine: Engine = engines.make(settings.engine, self.robot, ground, settings.worlds, bank, device)
        self.device = self.engine.device
        self.constants = Constants(self.robot, ground, self.task, self.device)
        self.engine.step(self.constants.pose.expand(settings.worlds, -1).contiguous())
        synchronise(self.device)
        self.first_step_s = time.perf_counter() - began
        self.feet, self.heights = Feet(self.robot, self.device), Heights(ground, self.device)
        self.randomise = randomisation.Randomiser(self.robot, self.task.randomisation, self.device)
        trunk = [i for i, name in enumerate(self.engine.colliders) if name.startswith("trunk")]
        self.trunk = torch.tensor(trunk, device=self.device)
        self.draws = randomisation.draws(self.task.randomisation) + starting.DRAWS + 12 + 2 + 3
        self.restart = torch.compile(self._restart) if self.device.type == "cuda" else self._restart
        everyone = torch.ones(settings.worlds, dtype=torch.bool, device=self.device)
        self._reset(everyone)

    def step(self) -> None:
        e, n = self.engine, self.settings.worlds
        action = self.settings.action_std * torch.randn(n, 12, device=self.device)
        e.step(self.constants.pose + self.robot.action_scale * action)
        self._reset(None)

    def _reset(self, mask: Tensor | None) -> None:
        e = self.engine
        uniform = torch.rand(self.settings.worlds, self.draws, device=self.device)
        e.push.copy_((2 * uniform[:, -3:] - 1) * self.task.randomisation.force)
        if mask is None and self.device.type == "cpu" and not self._fallen(e.qpos, e.touched, e.fault).any():
            return  # a GPU does the work instead of waiting to be asked
        fell, qpos, qvel, parameters = self.restart(e.qpos, e.touched, e.fault, uniform)
        e.reset(fell if mask is None else mask, qpos, qvel, Parameters(*parameters))

    def _fallen(self, qpos: Tensor, touched: Tensor, fault: Tensor) -> Tensor:
        outside = (qpos[:, :2].abs() > self.constants.half - 2.0).any(-1)
        return touched[:, self.trunk].any(-1) | fault | outside

    def _restart(self, qpos: Tensor, touched: Tensor, fault: Tensor, uniform: Tensor) -> tuple[Any, ...]:
        c, n = self.constants, randomisation.draws(self.task.randomisation)
        column = (uniform[:, -4] * c.columns).long()
        row = (uniform[:, -5] * c.rows).long()
        if self.settings.level is not None:
            row = torch.full_like(row, self.settings.level)
        place = uniform[:, n : n + starting.DRAWS + 12]
        new = starting.start(place, column, row, c, self.feet, self.heights, self.task)
        return self._fallen(qpos, touched, fault), *new, self.randomise(uniform[:, :n]).parts()


def measure(settings: SimSettings) -> dict[str, Any]:
    """Environment steps a second, with what else a user wants to know of the run."""
    load = Workload(settings)
    for _ in counted(settings.warmup, "warm-up"):
        load.step()
    rates = [_repeat(load, settings) for _ in counted(settings.repeats, "measuring")]
    e = load.engine
    result = {
        "engine": type(e).__name__.removesuffix("Engine").lower(),
        **{k: v for k, v in asdict(settings).items() if k != "engine"},
        "device": device_name(load.device),
        "env_steps_per_s": round(float(np.median(rates))),
        "env_steps_per_s_all": [round(rate) for rate in rates],
        "physics_steps_per_s": round(float(np.median(rates)) * DECIMATION),
        "first_step_s": round(load.first_step_s, 1),
        "faults": int(e.faults),
        "top_speed_m_s": round(float(e.top_speed.max()), 2),
    }
    result |= gpu_memory(load.device)
    if result["engine"] == "native":
        result |= _against_bare(load)
    return result


def _repeat(load: Workload, settings: SimSettings) -> float:
    synchronise(load.device)
    began = time.perf_counter()
    for _ in range(settings.steps):
        load.step()
    synchronise(load.device)
    return settings.worlds * settings.steps / (time.perf_counter() - began)


def _against_bare(load: Workload, turns: int = 12, periods: int = 10) -> dict[str, Any]:
    """A bare `mujoco.batch` from the same states with actions of the same kind, turn by turn with ours in one run.

    Medians, as other work on a machine comes and goes; several periods a turn, as the threads of one batch still wait
    for more to do when the other begins.
    """
    import mujoco.batch

    from him.sim.native_contacts import world

    n = load.settings.worlds
    ground = terrain.grid(terrain.TerrainSettings(seed=load.settings.seed + 1))
    bare = mujoco.batch.Batch(world(builder.build(load.robot), ground), n)
    ours, theirs = [], []
    for _ in range(turns):
        bare.qpos[:] = load.engine.qpos
        bare.qvel[:] = load.engine.qvel
        actions = load.settings.action_std * torch.randn(periods, n, 12)
        targets = (load.constants.pose + load.robot.action_scale * actions).numpy()
        began = time.perf_counter()
        for target in targets:
            bare.ctrl[:, :12] = target
            bare.step(nstep=DECIMATION)
        middle = time.perf_counter()
        for _ in range(periods):
            load.step()
        ours.append((time.perf_counter() - middle) / periods)
        theirs.append((middle - began) / periods)
    bare_period, our_period = float(np.median(theirs)), float(np.median(ours))
    return {"bare_env_steps_per_s": round(n / bare_period), "ratio_to_bare": round(bare_period / our_period, 3)}


def counted(count: int, what: str) -> Iterable[int]:
    """With a progress bar, and that away from results on standard output."""
    return track(range(count), what, transient=True, console=Console(stderr=True))


def gpu_memory(device: torch.device) -> dict[str, float]:
    """What is taken of the GPU's memory, by whomever; nothing on a CPU."""
    if device.type != "cuda":
        return {}
    free, whole = torch.cuda.mem_get_info(device)
    return {"gpu_memory_gb": round((whole - free) / 1e9, 2)}


def synchronise(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def device_name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"
