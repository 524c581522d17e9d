"""Trains on the toy task in a process of its own: python -m tests.learn.toy_run FOLDER ITERATIONS."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import torch

from him.env.protocol import Sizes
from him.learn.method import Him
from him.learn.trainer import Trainer, seed_everything
from tests.learn.conftest import small
from tests.learn.toy import Toy


def trainer(folder: Path, iterations: int | None, resume: bool | Path = False, **changes: object) -> Trainer:
    """A checkpoint after every iteration, the same arithmetic in every process, and nothing that depends on how long
    the run is meant to be."""
    torch.set_num_threads(1)
    settings = replace(small(checkpoint_seconds=0.0, iterations=iterations, calm_down=0.0), **changes)
    settings = replace(settings, ppo=replace(settings.ppo, final_entropy=settings.ppo.entropy))
    seed_everything(settings.seed)
    task = Toy(settings.envs)
    return Trainer(task, Him(Sizes.of(task), settings), folder, command=["toy"], resume=resume)


if __name__ == "__main__":
    trainer(Path(sys.argv[1]), int(sys.argv[2])).run()
