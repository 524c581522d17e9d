"""A training run of seconds, through the command line."""

import os
import sys
from pathlib import Path
from unittest import mock

from him.cli import aftermath
from him.cli import main as cli

ROOT = Path(__file__).parents[2]
ENVS, ROLLOUT = 8, 8
OPTIONS = (
    f"--preset laptop --envs {ENVS} --rollout {ROLLOUT} --device cpu --log-every 1 --checkpoint-seconds 0 "
    "--him.encoder 32 16 --him.target 32 16 --ppo.actor 32 16 --ppo.critic 32 16 --ppo.epochs 2 "
    "--calm-down 0 --ppo.entropy 0.01 --ppo.final-entropy 0.01 --task.rewards.ease 1 --task.rewards.following 0 "
    "--task.randomisation.bodies 8 --task.episode-seconds 0.5 --terrain.columns 2 --terrain.border 2"
).split()


def words(folder: Path, iterations: int, *more: str, robot: str = "go1") -> list[str]:
    """What is typed after `him`."""
    return ["train", robot, *OPTIONS, "--out", str(folder), "--iterations", str(iterations), *more]


def train(folder: Path, iterations: int, *more: str, robot: str = "go1") -> int:
    """In this process, without the measurement and the film at the end, which take longer than the training."""
    with mock.patch.object(aftermath, "show"):
        return cli.main(words(folder, iterations, *more, robot=robot))


def process(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Command and environment of a `him` of its own that computes in one thread too."""
    path = f"{ROOT / 'src'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    return [sys.executable, "-m", "him", *words], os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
