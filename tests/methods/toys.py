"""The toy task for methods that ask for factors: the wind in two of them stands for what makes worlds differ."""

from __future__ import annotations

from pathlib import Path

import torch

from him.env.factors import NAMES
from him.env.protocol import Observation, Sizes
from him.env.symmetry import Mirror
from him.learn.learner import Learner
from him.learn.method import Logs
from him.learn.settings import TrainSettings
from him.learn.trainer import Trainer, seed_everything
from him.methods import METHODS
from tests.learn.conftest import small
from tests.learn.toy import Toy


class Told(Toy):
    extra_size = Toy.extra_size + len(NAMES)

    def _observe(self) -> Observation:
        seen = super()._observe()
        factors = self.wind.repeat(1, -(-len(NAMES) // 3))[:, : len(NAMES)]
        return Observation(seen.frame, torch.cat([seen.extra, factors], -1))


class Symmetric(Told):
    """With left and right to exchange: the second of every three numbers changes its sign."""

    @property
    def mirror(self) -> Mirror:
        widths = {"frame": self.frame_size, "extra": self.extra_size, "action": self.action_size, "velocity": 3}
        return {name: [(i, -1.0 if i % 3 == 1 else 1.0) for i in range(width)] for name, width in widths.items()}


def learner(name: str, settings: TrainSettings | None = None, kind: type[Told] = Told) -> Learner:
    torch.manual_seed(0)
    settings = settings or small()
    task = kind(settings.envs)
    made = Learner(task, METHODS[name](Sizes.of(task), settings))
    made.start()
    return made


class Stopping(Trainer):
    """Interrupted as by a signal after so many iterations."""

    stop_at = 1_000_000

    def _read(self, logs: Logs) -> dict[str, float]:
        self.stopping = self.iteration >= self.stop_at
        return super()._read(logs)


def trainer(name: str, folder: Path, iterations: int, resume: bool | Path = False) -> Stopping:
    """A checkpoint after every iteration."""
    settings = small(checkpoint_seconds=0.0, iterations=iterations)
    seed_everything(settings.seed)
    task = Told(settings.envs)
    return Stopping(task, METHODS[name](Sizes.of(task), settings), folder, name, ["toy"], resume=resume)
