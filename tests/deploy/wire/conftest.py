import json
from pathlib import Path

import numpy as np
import pytest

from him.deploy.messages import Command
from him.deploy.wire.tables import JOINT_ORDER


@pytest.fixture(scope="session")
def golden() -> dict:
    """Frames that Unitree's own libraries emitted and decoded on loopback (A1 SDK v3.2, A1 and Aliengo
    v3.3.1, Aliengo v3.8.4, Go1 v3.8.6), and the Go2's command with its checksum (unitree_sdk2's crc library).
    """
    return json.loads(Path(__file__).with_name("unitree_golden_vectors.json").read_text())


@pytest.fixture(scope="session")
def golden_command(golden) -> Command:
    """The recorded commands in this project's joint order."""

    def row(name: str):
        return np.array([motor[name] for motor in golden["motors_cmd_12"]])[JOINT_ORDER]

    return Command(q=row("q"), dq=row("dq"), tau=row("tau"), kp=row("Kp"), kd=row("Kd"))
