"""`him train`: from a robot's name to a policy that walks."""

import itertools
import shutil
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import torch
import tyro

from him import robots
from him.cli import aftermath
from him.env.make import make_task
from him.env.presets import WORLDS, World
from him.env.protocol import Sizes
from him.env.task import LocomotionTask
from him.errors import HimError
from him.fields import build
from him.learn import distributed, presets
from him.learn.adopt import adopt
from him.learn.run import Run
from him.learn.settings import TrainSettings
from him.learn.trainer import Trainer, seed_everything
from him.methods import METHODS, packing, task_for
from him.policy.find import find
from him.sim import engines
from him.terrain import grid


@dataclass(frozen=True)
class Arguments:
    """Train a policy. Every setting below can be given; those of the preset stand where none is."""

    robot: Annotated[str, tyro.conf.Positional]
    """aliengo, a1, go1, go2, or the path of one's own table."""
    method: str = "him"
    """What to train: him, or a method the paper compares it with."""
    preset: str = "default"
    """default, paper, release, laptop, flat or tune; with --start it is tune where none is given."""
    start: str | None = None
    """Policy to go on from, by name or path: it keeps what it can and learns what these settings ask for besides."""
    out: Path | None = None
    """Folder of the run; by default runs/ROBOT-METHOD-SEED."""
    resume: bool = False
    """Continue the run in that folder."""
    device: str | None = None
    """Torch device; by default the GPU where there is one."""
    engine: str | None = None
    """warp or native; by default warp on a GPU and native elsewhere."""
    deterministic: bool = False
    """Use MuJoCo Warp's deterministic mode, slower: its sums no longer depend on the GPU's scheduling. In version 4.0.0
    the order of contacts still does, so two runs begin alike and drift apart. On a CPU runs are the same anyway."""
    view: bool = False
    """Show some of the robots live in the browser."""
    train: Annotated[TrainSettings, tyro.conf.arg(name="")] = field(default_factory=TrainSettings)
    world: Annotated[World, tyro.conf.arg(name="")] = field(default_factory=World)


def main(argv: list[str]) -> int:
    preset = _preset(argv)
    if preset not in WORLDS:
        raise HimError(f"no preset is called {preset!r}; choose one of {', '.join(WORLDS)}")
    arguments = _read(argv, presets.preset(preset), WORLDS[preset]())
    if arguments.resume:
        arguments = _continued(arguments, argv)
    elif preset == "tune" and arguments.start is None:
        raise HimError("the preset tune goes on from a policy: name it, as in --start aliengo")
    elif arguments.train.ppo.anchor > 0 and arguments.start is None:
        raise HimError("an anchor holds a run to the policy it goes on from: name it, as in --start aliengo")
    distributed.start()
    try:
        return _train(arguments, argv)
    finally:
        distributed.stop()


def _read(argv: list[str], train: TrainSettings, world: World) -> Arguments:
    default = Arguments(robot=tyro.MISSING, preset=_preset(argv), train=train, world=world)
    return tyro.cli(Arguments, prog="him train", args=argv, default=default)


def _continued(a: Arguments, argv: list[str]) -> Arguments:
    """The arguments of a run that goes on: its own settings stand where none is given anew."""
    folder = a.out or _folder(a)
    run = Run(folder)
    record = run.record()
    about = record["about"]
    if (about["robot"], record["method"]) != (a.robot, a.method):
        raise HimError(f"{folder} trained {about['robot']} by {record['method']}, not {a.robot} by {a.method}")
    again = _read(argv, run.settings(), build(World, about["world"]))
    return replace(again, out=folder, preset=about["preset"])


def _train(a: Arguments, argv: list[str]) -> int:
    began = time.monotonic()
    settings, folder = a.train, a.out or _folder(a)
    start = None if a.start is None or a.resume else find(a.start)
    world = replace(a.world, task=task_for(a.method, a.world.task))
    seed_everything(settings.seed)
    if distributed.rank() == 0 and torch.device(a.device or engines.default_device()).type == "cuda":
        print("preparing physics; on a new machine its kernels are compiled first, in about a minute", flush=True)
    task = make_task(a.robot, settings.envs, settings.seed, world, a.device, a.engine, a.deterministic)
    method = METHODS[a.method](Sizes.of(task), settings)
    about: dict[str, Any] = {"robot": a.robot, "preset": a.preset, "world": asdict(world)}
    if start is not None:
        before = adopt(method, a.method, start)
        about["before"] = before.samples
    trainer = Trainer(task, method, folder, a.method, ["him", "train", *argv], about, a.resume)
    if start is not None:
        task.widen([highest for _, highest in before.command_ranges])
        if distributed.rank() == 0:
            shutil.copy(start, folder / packing.START)
    if distributed.rank() == 0 and Path(a.robot).suffix == ".toml":
        shutil.copy(a.robot, folder / f"{task.robot.name}.toml")
    if len(trainer.phases) > 1 and distributed.rank() == 0:
        print(", then ".join(f"{phase['name']} for {phase['samples'] / 1e6:.1f} M samples" for phase in trainer.plan()))
    with _watched(task, world) if a.view and distributed.rank() == 0 else nullcontext():
        outcome = trainer.run()
    if distributed.rank() == 0:
        told = f"{outcome.reason}: {outcome.samples / 1e6:.1f} M samples in {outcome.seconds:.0f} s of training"
        if outcome.reason == "finished":
            policy = packing.export_run(folder, folder / "policy.onnx")
            print(f"{told}, {time.monotonic() - began:.0f} s from the command to {policy}")
            aftermath.show(folder, policy, world.task if a.preset == "laptop" else None)
        else:
            print(f"{told}; continue with: him train {a.robot} --method {a.method} --out {folder} --resume")
    return 0


def _folder(a: Arguments) -> Path:
    """The folder by its usual name, or, when that is taken by another run, the first free one after it."""
    wanted = Path("runs") / f"{robots.load(a.robot).name}-{a.method}-{a.train.seed}"
    if a.resume or not wanted.exists():
        return wanted
    return next(path for n in itertools.count(2) if not (path := wanted.with_name(f"{wanted.name}-{n}")).exists())


def _watched(task: LocomotionTask, world: World) -> AbstractContextManager[Any]:
    from him.view.live import watch  # needs the extra `view`

    return watch(task, grid(world.terrain))


def _preset(argv: list[str]) -> str:
    """The preset's name, needed before the options can be read: they default to its values."""
    usual = "tune" if _value(argv, "--start") is not None else "default"
    return _value(argv, "--preset") or usual


def _value(argv: list[str], option: str) -> str | None:
    """What is given for an option."""
    for i, word in enumerate(argv):
        if word == option and i + 1 < len(argv):
            return argv[i + 1]
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None
