from types import ModuleType

import pytest

from tests.policy import random_policy


@pytest.fixture(scope="session")
def untrained() -> ModuleType:
    """The functions of random_policy.py: `contract(**changes)` and `save(path, about)`."""
    return random_policy
