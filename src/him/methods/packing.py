"""From a run folder to one policy file that needs nothing else."""

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from him import robots
from him.env.behaviour import trot
from him.env.commands import Limits
from him.env.presets import World
from him.errors import HimError
from him.fields import build
from him.learn import checkpoint, export
from him.learn.adopt import adopt
from him.learn.method import Method, phases
from him.learn.run import Run
from him.methods import METHODS
from him.policy.contract import Contract, Pair, Tensor
from him.terrain import KINDS


def load(folder: Path) -> tuple[Method, dict[str, Any], checkpoint.Manifest]:
    """The trained method of a run, what was recorded about the run, and of which checkpoint it is."""
    run = Run(folder)
    record = run.record()
    method = METHODS[record["method"]](run.sizes(), run.settings())
    manifest = checkpoint.load_weights(method, run.checkpoints)
    return phases(method)[manifest.phase].eval(), record, manifest


START = "start.onnx"
"""Copy of the policy that a run started from, in its folder."""


def export_run(folder: Path, path: Path, back: float = 0.0) -> Path:
    """Write the newest checkpoint of a run as an ONNX file with its contract, its weights a share of the way `back` to
    those it started from; a negative share goes as far beyond."""
    method, record, manifest = load(folder)
    method.cpu()
    command = lines(record)
    if back:
        _go_back(method, record["method"], folder / START, back)
        command += [";", "him", "export", "--back", f"{back:g}"]
    world = build(World, record["about"]["world"])
    robot, inputs = table(folder, record["about"]["robot"]), method.inputs()
    contract = Contract.for_robot(
        robot,
        method=record["method"],
        command_ranges=command_ranges(world, checkpoint.tensor(Run(folder).checkpoints, "task.episode.reach")),
        action_clip=world.task.action_clip,
        deployable=not method.privileged,
        commit=commit(),
        command=" ".join(command),
        samples=manifest.samples + record["about"].get("before", 0),
        seed=method.settings.seed,
        history_length=inputs["obs"].shape[1],
        inputs=_tensors(inputs),
        outputs=_tensors(method.outputs(*inputs.values())),
        behaviour=trot(robot) if "behaviour" in inputs else (),
    )
    return export.export(method.cpu(), path, json.loads(contract.to_json()))


@torch.no_grad()
def _go_back(method: Method, name: str, start: Path, share: float) -> None:
    """Weights on the line between those learned and those of the start."""
    if not -1.0 <= share <= 1.0:
        raise HimError(f"--back is a share from 1, the start, to -1, as far beyond; not {share:g}")
    if not start.exists():
        raise HimError(f"there is no {start}: only a run with --start has a policy to go back to")
    before = METHODS[name](method.sizes, method.settings)
    adopt(before, name, start)
    for now, then in zip(method.acting_parameters(), before.acting_parameters(), strict=True):
        now.lerp_(then, share)


def table(folder: Path, name: str) -> robots.Robot:
    """The robot of a run: one's own has a copy of its table in the folder."""
    own = sorted(folder.glob("*.toml"))
    return robots.load(own[0] if own else name)


def _tensors(values: dict[str, torch.Tensor]) -> tuple[Tensor, ...]:
    """What a network reads or answers, from examples."""
    return tuple(Tensor(name, ("batch", *value.shape[1:])) for name, value in values.items())


def command_ranges(world: World, reach: torch.Tensor) -> tuple[Pair, ...]:
    """The widest commands of any ground the run had, as far as they had grown (`him.env.commands.grow`)."""
    limits, shares = Limits(world.task.commands, torch.device("cpu")), asdict(world.terrain.shares)
    there = torch.tensor([i for i, kind in enumerate(KINDS) if shares[kind] > 0])
    easy, full = limits.easy[there, None], limits.full[there, None]
    grown = easy + reach.cpu().view(len(KINDS), -1, 3)[there] * (full - easy)
    x, y, yaw = (round(value, 2) for value in grown.amax((0, 1)).tolist())
    return (-x, x), (-y, y), (-yaw, yaw)


def placeless(command: Sequence[str]) -> list[str]:
    """A command without the folder its run lies in, which is nobody else's concern."""
    pairs = zip(command, ["", *command], strict=False)
    return [word for word, before in pairs if "--out" not in (word, before) and not word.startswith("--out=")]


def lines(record: dict[str, Any]) -> list[str]:
    """The command of a run, and after a semicolon each that went on with it under other settings."""
    found = placeless(record["command"])
    for again in record.get("resumed", []):
        words = placeless(again["command"])
        if set(words) - set(found) - {"--resume"}:
            found = [*found, ";", *words]
    return found


def commit(folder: Path = Path(__file__).parents[1]) -> str:
    """Revision of the code in a folder, with a mark if it was changed since. Outside a repository it is what the
    environment's HIM_COMMIT says, or `unknown`."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "HEAD") + ("-changed" if git("status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.CalledProcessError):
        return os.environ.get("HIM_COMMIT", "unknown")
