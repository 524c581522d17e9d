"""Methods side by side: the table of tracking errors from the records of many policies.

Policies of one method that differ in their seeds are averaged. Every policy met the same worlds and commands, so
two methods are compared group by group, which takes the chance of the worlds out of the difference.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from him.bench import paper
from him.bench.markdown import grid
from him.bench.records import Record
from him.bench.statistics import Estimate, difference, estimate
from him.errors import HimError

OURS = "him"
"""The column that the others are compared with."""

Columns = dict[str, list[Record]]
"""Records by column, seeds in order."""


def columns(records: Sequence[Record]) -> Columns:
    """Records of one robot by column: the paper's methods first, in its order."""
    settings = {record.settings for record in records}
    if len(settings) > 1:
        names = ", ".join(record.subject.name for record in records)
        raise HimError(f"{names} were not measured with the same settings; keep them in different folders (--out)")
    found: Columns = {}
    order = {name: n for n, name in enumerate(paper.TITLES)}
    for record in sorted(
        records, key=lambda r: (order.get(r.subject.column, len(order)), r.subject.column, r.subject.seed)
    ):
        mine = found.setdefault(record.subject.column, [])
        if any(other.subject.seed == record.subject.seed for other in mine):
            same = [other.subject.name for other in mine if other.subject.seed == record.subject.seed]
            raise HimError(
                f"{same[0]} and {record.subject.name} are both {record.subject.column} with seed "
                f"{record.subject.seed}; remove one of their records"
            )
        mine.append(record)
    return found


def groups(records: Sequence[Record], row: str) -> list[float]:
    """A column's errors, group by group, averaged over its seeds."""
    return np.mean([record.groups(row) for record in records], axis=0).tolist()


def compare(found: Columns, column: str, other: str, row: str) -> Estimate:
    """How much larger the error of `column` is than that of `other`, with its paired 95 % interval."""
    return difference(groups(found[column], row), groups(found[other], row))


def table(records: Sequence[Record]) -> dict[str, Any]:
    """Everything the page and the plot show."""
    found = columns(records)
    lines = []
    for row in paper.ROWS:
        cells = {name: _cell(mine, row) for name, mine in found.items()}
        if OURS in found:
            for name in found:
                if name != OURS:
                    cells[name]["above_ours"] = _rounded(compare(found, name, OURS, row.key))
        keys = {"terrain": row.terrain, "range": row.range, "test": row.test, "error": row.error}
        lines.append(keys | {"printed": row.printed, "columns": cells})
    about = {
        name: {
            "title": paper.title(name),
            "policies": [record.subject.name for record in mine],
            "seeds": [record.subject.seed for record in mine],
            "samples": mine[0].subject.samples,
        }
        for name, mine in found.items()
    }
    return {"robot": records[0].subject.robot, "columns": about, "rows": lines}


def _cell(records: Sequence[Record], row: paper.Row) -> dict[str, Any]:
    parts = [block[row.key] for record in records for block in record.blocks.values() if row.key in block]
    seeds = [float(np.mean(record.groups(row.key))) for record in records]
    return _rounded(estimate(groups(records, row.key))) | {
        "seeds": [round(mean, 4) for mean in seeds],
        "deviation": round(float(np.std(seeds, ddof=1)), 4) if len(seeds) > 1 else None,
        "half_second": round(float(np.mean([part["half_second"] for part in parts])), 4),
        "falls": sum(part["falls"] for part in parts),
        "trials": sum(part["trials"] for part in parts),
        "paper": row.figure(records[0].subject.column),
    }


def _rounded(value: Estimate) -> dict[str, float]:
    return {"mean": round(value.mean, 4), "interval": round(value.interval, 4)}


def markdown(result: dict[str, Any]) -> str:
    """The table, the comparison with HIM and the falls, as a page."""
    names = list(result["columns"])
    printed = [name for name in names if paper.ROWS[0].figure(name) is not None]
    others = [name for name in names if name not in printed]
    body = [
        [about["title"], ", ".join(about["policies"]), f"{about['samples'] / 1e6:.0f} M"]
        for about in result["columns"].values()
    ]
    parts = [
        f"# Tracking errors, {result['robot']}",
        "Mean over trials of 10 s and over seeds, with its 95 % interval; in brackets what the paper prints. Linear "
        "errors are in m/s, angular ones in rad/s. Definitions: `him.bench.trial`.",
        grid(["method", "policies", "samples"], body),
        _errors(result, printed) if printed else "",
        _errors(result, others) if others else "",
    ]
    rivals = [name for name in names if name != OURS]
    if OURS in names and rivals:
        parts += [
            "## Above HIM",
            "How much larger a method's error is than HIM's in the same worlds under the same commands, with paired "
            "95 % intervals. Bold: the interval does not hold zero.",
            _lines(result, rivals, lambda cell: _signed(cell["above_ours"])),
        ]
    several = [name for name in names if len(result["columns"][name]["seeds"]) > 1]
    if several:
        each = _lines(result, several, lambda cell: " / ".join(f"{mean:.3f}" for mean in cell["seeds"]))
        parts += ["## Seeds", "The same errors, seed by seed.", each]
    parts += ["## Falls", "Robots that fell, in percent of the trials.", _falls(result)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _errors(result: dict[str, Any], names: list[str]) -> str:
    def text(cell: dict[str, Any]) -> str:
        shown = f"{cell['mean']:.3f} ± {cell['interval']:.3f}"
        return shown if cell["paper"] is None else f"{shown} ({cell['paper']:.3f})"

    return _lines(result, names, text)


def _lines(result: dict[str, Any], names: list[str], text: Any) -> str:
    head = ["terrain", "commands", "range", "error", *(result["columns"][name]["title"] for name in names)]
    body = [
        [row["terrain"].replace("_", " "), row["test"], _range(row), row["error"]]
        + [text(row["columns"][name]) for name in names]
        for row in result["rows"]
    ]
    return grid(head, body)


def _range(row: dict[str, Any]) -> str:
    return "±1" if row["range"] == "narrow" else "±2"


def _signed(value: dict[str, float]) -> str:
    shown = f"{value['mean']:+.3f} ± {value['interval']:.3f}"
    return f"**{shown}**" if abs(value["mean"]) > value["interval"] else shown


def _falls(result: dict[str, Any]) -> str:
    once = [row for row in result["rows"] if row["error"] == ("angular" if row["test"] == "angular" else "linear")]
    percent = "{:.1f}".format
    return _lines(
        result | {"rows": once},
        list(result["columns"]),
        lambda cell: percent(100 * cell["falls"] / cell["trials"]),
    )
