from pathlib import Path

import pytest

from him import robots
from him.policy import Contract
from tests.policy import random_policy


def contract(name: str) -> Contract:
    """What an untrained policy of a robot says about itself."""
    return Contract.for_robot(
        robots.load(name),
        method="him",
        command_ranges=((-1.0, 1.0), (-0.5, 0.5), (-1.5, 1.5)),
        action_clip=10.0,
        deployable=True,
        commit="unknown",
        command="him train",
        samples=0,
        seed=0,
    )


@pytest.fixture(scope="session")
def still(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy of A1 that holds the default pose whatever happens."""
    return random_policy.save(tmp_path_factory.mktemp("policy") / "still.onnx", contract("a1"), gain=0.0)


@pytest.fixture(scope="session")
def restless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy of A1 with random weights: it moves, but not wisely."""
    return random_policy.save(tmp_path_factory.mktemp("policy") / "restless.onnx", contract("a1"), gain=2.0)
