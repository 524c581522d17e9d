"""Small settings and a learner on the toy task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch

from him.env.protocol import Sizes
from him.learn.learner import Learner
from him.learn.method import Him
from him.learn.presets import default
from him.learn.settings import TrainSettings
from tests.learn.toy import Toy


def small(**changes: object) -> TrainSettings:
    base = default()
    him = replace(base.him, encoder=(32, 16), target=(32, 16), latent=4, prototypes=8)
    ppo = replace(base.ppo, actor=(32, 16), critic=(32, 16), epochs=2)
    return replace(base, **{"him": him, "ppo": ppo, "envs": 16, "rollout": 8, "log_every": 1} | changes)


def build(settings: TrainSettings, seed: int = 0, compiled: bool = False) -> Learner:
    torch.manual_seed(seed)
    task = Toy(settings.envs)
    learner = Learner(task, Him(Sizes.of(task), settings), compiled)
    learner.start()
    return learner


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """These networks are too small to share out, and on a busy machine idle threads only spin."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def learner() -> Learner:
    return build(small())
