"""The missing step is as high as the paper's."""

import pytest

from him.bench.tasks.table import TABLE
from tests.bench.tasks.standing import heights, ready


def test_the_platform_ends_at_an_edge_of_42_centimetres() -> None:
    trial = ready("missing-step")
    x = TABLE.start_distance
    behind, before, after = heights(trial.robot, [-1.4, x - 0.01, x + 0.01])
    assert (behind, before, after) == (pytest.approx(0.42), pytest.approx(0.42), pytest.approx(0.0))
    assert trial.robot.position[2] == pytest.approx(0.42 + trial.robot.robot.standing_height)
