"""The table of results beside the paper's."""

from collections.abc import Sequence
from typing import Any

from him.bench.markdown import grid
from him.bench.paper import title
from him.bench.tasks.entrants import Entrant
from him.bench.tasks.printed import COLUMNS, HEADS, MAIN, PRINTED
from him.bench.tasks.scene import METRICS, Task
from him.bench.tasks.table import TABLE

INTRODUCTION = """\
Measured in plain MuJoCo C with the deployment controller (docs/tasks.md); the columns marked "paper" are the paper's,
measured on real robots. Rates with their 95 % intervals (Wilson), numbers of stairs as mean ± 95 % interval (Student).
A largest weight is the heaviest 0.5 kg step mastered in at least 80 % of the trials, found by bisection, with the
trials passed at that weight. Bold: at or above what the paper prints for this method.
"""


def columns(cells: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Results under the head they belong to: a method, and its policy where a robot has several of it."""
    heads: dict[str, list[dict[str, Any]]] = {}
    for cell in cells:
        rivals = {c["policy"] for c in cells if (c["robot"], c["method"]) == (cell["robot"], cell["method"])}
        name = title(cell["method"])
        heads.setdefault(f"{name} ({cell['policy']})" if len(rivals) > 1 else name, []).append(cell)
    return heads


def markdown(tasks: Sequence[Task], cells: Sequence[dict[str, Any]], remarks: Sequence[str] = ()) -> str:
    """The page."""
    ours, measured = columns(cells), {cell["method"] for cell in cells}
    theirs = [name for name in COLUMNS if name in MAIN or name in measured]
    head = ["task", "robot", "measured", *ours, *(f"paper: {HEADS.get(name, title(name))}" for name in theirs)]
    body = []
    for task in tasks:
        shown = [_shown(task, found) for found in ours.values()]
        printed = [PRINTED[task.name][name] for name in theirs]
        body.append([task.title, task.robot, METRICS[task.metric], *shown, *printed])
    parts = ["# The eight tasks\n", INTRODUCTION, grid(head, body) + "\n"]
    if remarks:
        parts.append("\n".join(f"- {remark}" for remark in remarks) + "\n")
    return "\n".join(parts) + "\n" + _endings(tasks, cells)


def lacking(tasks: Sequence[Task], robots: Sequence[str]) -> list[str]:
    """A sentence for each robot that has tasks and no policy."""
    missing = dict.fromkeys(task.robot for task in tasks if task.robot not in robots)
    return [
        f"no policy for {robot}: {', '.join(task.name for task in tasks if task.robot == robot)} not run. Train one "
        f"(`him train {robot}`), ship it as policies/{robot}.onnx or policies/{robot}-METHOD.onnx, or give its path."
        for robot in missing
    ]


def unused(tasks: Sequence[Task], entrants: Sequence[Entrant]) -> list[str]:
    """A sentence for each policy whose robot has none of these tasks."""
    robots = {task.robot for task in tasks}
    return [f"{e.name} takes no part: none of these tasks is for {e.robot}." for e in entrants if e.robot not in robots]


def _shown(task: Task, cells: Sequence[dict[str, Any]]) -> str:
    cell = next((cell for cell in cells if cell["task"] == task.name), None)
    if cell is None:
        return "not run" if any(c["robot"] == task.robot for c in cells) else f"no policy for {task.robot}"
    text = figure(task.metric, cell["score"])
    printed = PRINTED[task.name].get(cell["method"])
    return f"**{text}**" if printed and cell["score"]["value"] >= printed.value else text


def figure(metric: str, score: dict[str, Any]) -> str:
    """A score in words."""
    value: float = score["value"]
    if metric == "weight":
        least = "at least " if value >= TABLE.weight_most else ""
        return f"{least}{value:g} ({score['passed']} of {score['trials']})" if value else "none"
    if metric == "stairs":
        return f"{value:g}" if score["interval"] is None else f"{value:g} ± {score['interval']:g}"
    low, high = score["interval"]
    return f"{value:g} [{low:g}, {high:g}]"


def _endings(tasks: Sequence[Task], cells: Sequence[dict[str, Any]]) -> str:
    """How the trials ended, for whoever wants to know why."""
    rows = [
        [task.title, cell["policy"], ", ".join(f"{n} {end}" for end, n in cell["ends"].items())]
        for task in tasks
        for cell in cells
        if cell["task"] == task.name
    ]
    return "\n## How trials ended\n\n" + grid(["task", "policy", "ends"], rows) + "\n" if rows else ""
