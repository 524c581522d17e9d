"""The eight tasks by name, in the paper's order."""

from collections.abc import Sequence

from him.bench.tasks import edge, hit, loads, stairs, unseen
from him.bench.tasks.scene import Task
from him.errors import HimError

_DRAGGING, _PAYLOAD = loads.TASKS

TASKS = {task.name: task for task in (*stairs.TASKS, *unseen.TASKS, _DRAGGING, *hit.TASKS, _PAYLOAD, *edge.TASKS)}


def chosen(names: Sequence[str]) -> tuple[Task, ...]:
    """The tasks of these names, or all; in the paper's order, whatever the order of the names."""
    if unknown := [name for name in names if name not in TASKS]:
        raise HimError(f"there is no task {unknown[0]!r}; choose from {', '.join(TASKS)}")
    return tuple(task for name, task in TASKS.items() if not names or name in names)
