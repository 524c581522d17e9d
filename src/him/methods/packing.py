"""From a run folder to one policy file that needs nothing else."""

import json
import subprocess
from pathlib import Path
from typing import Any

from him import robots
from him.env.presets import World
from him.fields import build
from him.learn import checkpoint, export
from him.learn.method import Method
from him.learn.run import Run
from him.methods import METHODS
from him.policy.contract import OBS, OUTPUTS, Contract, Tensor


def load(folder: Path) -> tuple[Method, dict[str, Any], checkpoint.Manifest]:
    """The trained method of a run, what was recorded about the run, and of which checkpoint it is."""
    run = Run(folder)
    record = run.record()
    method = METHODS[record["method"]](run.sizes(), run.settings())
    manifest = checkpoint.load_weights(method, run.checkpoints)
    return method.eval(), record, manifest


def export_run(folder: Path, path: Path) -> Path:
    """Write the newest checkpoint of a run as an ONNX file with its contract."""
    method, record, manifest = load(folder)
    world = build(World, record["about"]["world"])
    commands = world.task.commands
    x, yaw = max(commands.smooth_x, commands.complex_x), max(commands.smooth_yaw, commands.complex_yaw)
    history, width = export.context_shape(method)
    contract = Contract.for_robot(
        robots.load(record["about"]["robot"]),
        method=record["method"],
        command_ranges=((-x, x), (-commands.y, commands.y), (-yaw, yaw)),
        action_clip=world.task.action_clip,
        deployable=not method.privileged,
        commit=commit(),
        command=" ".join(record["command"]),
        samples=manifest.samples,
        seed=method.settings.seed,
        history_length=history,
        inputs=(Tensor(OBS.name, ("batch", history, width)),),
        outputs=OUTPUTS,
    )
    return export.export(method.cpu(), path, json.loads(contract.to_json()))


def commit() -> str:
    """Revision of the code, with a mark if files were changed since; `unknown` outside a repository."""
    here = Path(__file__).parent
    try:
        hash_ = subprocess.run(["git", "rev-parse", "HEAD"], cwd=here, capture_output=True, text=True, check=True)
        changed = subprocess.run(
            ["git", "status", "--porcelain", "--", "src"], cwd=here, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return hash_.stdout.strip() + ("-changed" if changed.stdout.strip() else "")
