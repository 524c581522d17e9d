"""Eight tasks, in the paper's order."""

import pytest

from him.bench.tasks.registry import TASKS, chosen
from him.bench.tasks.scene import METRICS
from him.errors import HimError


def test_robots_and_metrics_are_the_papers() -> None:
    a1, aliengo = "a1", "aliengo"
    assert {task.name: (task.robot, task.metric) for task in TASKS.values()} == {
        "short-stairs": (a1, "success"),
        "long-stairs": (aliengo, "stairs"),
        "compositional": (aliengo, "success"),
        "deformable-slope": (a1, "success"),
        "dragging": (a1, "weight"),
        "lateral-hit": (a1, "weight"),
        "payload": (a1, "weight"),
        "missing-step": (aliengo, "success"),
    }
    assert {task.metric for task in TASKS.values()} == set(METRICS)


def test_tasks_are_chosen_by_name() -> None:
    assert [task.name for task in chosen(["payload", "short-stairs"])] == ["short-stairs", "payload"]
    assert len(chosen([])) == 8
    with pytest.raises(HimError, match="no task 'moon'; choose from short-stairs"):
        chosen(["moon"])
