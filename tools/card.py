"""Write the cards of shipped policies from their contracts and results: python tools/card.py a1 go1"""

import json
import sys
from pathlib import Path
from typing import Any

from him.policy.runner import Policy

ROOT = Path(__file__).parents[1]

NAMES = {"a1": "Unitree A1", "go1": "Unitree Go1", "go2": "Unitree Go2", "aliengo": "Unitree Aliengo"}

MACHINE = "one H200"

TUNED = f"{MACHINE}, those since `--start` on a CPU"
"""Where a policy was trained that went on without a GPU."""


def card(name: str, root: Path = ROOT) -> str:
    """The whole page."""
    contract = Policy(root / "policies" / f"{name}.onnx").contract
    folder = f"results/{name}-{round(contract.samples / 1e6)}M"
    measured = json.loads((root / folder / "eval.json").read_text())
    walked = json.loads((root / folder / "courses.json").read_text())
    machine = TUNED if {"--start", "cpu"} <= set(contract.command.split()) else MACHINE
    parts = [
        f"# {name}",
        f"{contract.method.upper()} for the {NAMES[contract.robot]}: seed {contract.seed}, "
        f"{contract.samples / 1e6:.0f} M samples on {machine}, at revision {contract.commit[:7]}, by",
        f"    {contract.command}",
        "Measured by",
        f"    {measured['command']}\n"
        f"    him bench courses {name} --trials {walked['trials']} --out {folder}/courses.json",
        success(measured["success"]),
        tracking(measured["tracking"], measured.get("settings", {}).get("forces", "training")),
        flat(measured["flat"]),
        courses(walked),
        f"![on stairs](../{folder}/stairs.png)",
        f"![learning curve](../{folder}/curve.png)",
    ]
    return "\n\n".join(parts) + "\n"


def success(cells: list[dict[str, Any]]) -> str:
    levels = sorted({cell["level"] for cell in cells})
    robots = cells[0]["robots"]
    rows = [["success / falls", *(f"level {level}" for level in levels)], ["---"] * (len(levels) + 1)]
    for terrain in dict.fromkeys(cell["terrain"] for cell in cells):
        mine = {cell["level"]: cell for cell in cells if cell["terrain"] == terrain}
        values = [f"{mine[level]['success']:.2f} / {mine[level]['falls']:.2f}" for level in levels]
        rows.append([terrain.replace("_", " "), *values])
    about = f"Success: no fall in 10 s and 80 % of the way, commands of 0.3 to 1 m/s any way, {robots} robots a cell."
    return f"{about}\n\n{table(rows)}"


FORCES = {"authors": "the authors' external forces", "training": "training's external forces (now `--forces training`)"}


def tracking(lines: list[dict[str, Any]], forces: str) -> str:
    met = sum(line["measured"] <= line["paper"] for line in lines)
    half = sum(line["half_second"] <= line["paper"] for line in lines)
    near = sum(min(line["measured"], line["half_second"]) <= 1.25 * line["paper"] for line in lines)
    return (
        f"Of the paper's {len(lines)} tracking rows (the paper's are an Aliengo's), under {FORCES[forces]}, "
        f"{met} are met as defined and {half} with half-second averages; {near} are within 1.25 times in either."
    )


def flat(values: dict[str, float]) -> str:
    def standing(noise: str) -> str:
        base, joints, sinks = (values[f"stand_{what}_noise_{noise}"] for what in ("base_speed", "joint_speed", "sinks"))
        return f"base {base:.3f} m/s, joints {joints:.3f} rad/s, and the base sinks by {100 * sinks:.1f} cm in 8 s"

    return (
        f"On flat ground, commands up to 1 m/s and 1 rad/s: linear error {values['linear_error']:.3f} m/s, angular "
        f"{values['angular_error']:.3f} rad/s, velocity estimate off by {values['estimate_rms']:.3f} m/s (RMS), "
        f"{values['falls']:.0f} of 256 fell. At zero command, noise off: {standing('off')}; noise on: {standing('on')}."
    )


def courses(walked: dict[str, Any]) -> str:
    rows = [
        ["plain MuJoCo C, boxes, the controller that drives robots", f"passed of {walked['trials']}"],
        ["---", "---"],
    ]
    rows += [[course, str(ends.get("passed", 0))] for course, ends in walked.items() if isinstance(ends, dict)]
    return table(rows)


def table(rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


if __name__ == "__main__":
    for given in sys.argv[1:]:
        (ROOT / "policies" / f"{given}.md").write_text(card(given))
