"""What the campaign trains, in stages that each leave a complete report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from him.errors import HimError
from him.methods import METHODS
from him.methods.rma import SHARE

FULL, HALF = 200_000_000, 100_000_000
"""Samples of a run, and of one in a sweep."""

COMPARED = tuple(method for method in METHODS if method != "rma-original")
"""Methods of the comparison. `rma-original` can be trained, but no table of the paper has it."""

FURTHER_SEEDS = ("him", "regression", "rma", "baseline")
"""Methods with three seeds."""

ON_A1 = ("him", "regression", "rma", "mob", "baseline")
"""Methods trained for A1."""

PROTOTYPES = (8, 16, 32, 64, 128, 256)
"""Paper, appendix on the number of prototypes; 16 is the default."""

CONTRASTIVE: dict[str, dict[str, Any]] = {
    "temperature-0.3": {"temperature": 0.3},
    "temperature-1": {"temperature": 1.0},
    "temperature-3": {"temperature": 3.0},
    "mean": {"over_prototypes": "mean"},
    "temperature-3-mean": {"temperature": 3.0, "over_prototypes": "mean"},
    "weight-0": {"contrastive_weight": 0.0},
    "weight-0.01": {"contrastive_weight": 0.01},
    "weight-0.1": {"contrastive_weight": 0.1},
    "weight-10": {"contrastive_weight": 10.0},
    "response": {"target_input": "response"},
    "response-weight-0.1": {"target_input": "response", "contrastive_weight": 0.1},
}
"""Temperature and scaling of the contrastive loss around the default (0.1, sum, 1), and a successor shown without the
command, which both views have in common; `temperature-3-mean` is the release's scaling."""

FLAT = ("--preset", "flat")
"""MoB as published was trained on flat ground."""


@dataclass(frozen=True)
class Job:
    """One run: trained, kept and measured."""

    name: str
    robot: str
    method: str
    seed: int = 0
    samples: int = FULL
    options: tuple[str, ...] = ()
    sweep: bool = False
    """Whether it is one of a sweep: its tracking errors lie apart, and its contrastive loss is looked at."""
    ships: bool = False
    """Whether its policy is one of those in `policies/`."""

    def train(self, folder: Path, more: tuple[str, ...] = ()) -> list[str]:
        """What follows `him` to train it, or to go on with it."""
        words = ["train", self.robot, "--method", self.method, "--seed", str(self.seed), "--samples", str(self.samples)]
        words += [*self.options, *more, "--out", str(folder)]
        return [*words, "--resume"] if (folder / "run.json").exists() else words

    @property
    def whole(self) -> float:
        """Samples of all its phases."""
        return self.samples * (1.0 + SHARE if self.method.startswith("rma") else 1.0)

    @property
    def steps(self) -> tuple[str, ...]:
        """What is done with it, in order."""
        return ("train", "keep", "tracking", *(["contrastive"] if self.sweep else []))

    @property
    def policy(self) -> str:
        """Name of its shipped policy: HIM's is the robot's own."""
        column = self.name.removeprefix(f"{self.robot}-").removesuffix(f"-{self.seed}")
        return self.robot if column == "him" else f"{self.robot}-{column}"


def plain(robot: str, method: str, seed: int = 0, ships: bool = False) -> Job:
    return Job(f"{robot}-{method}-{seed}", robot, method, seed, ships=ships)


def swept(name: str, **changes: Any) -> Job:
    """A run of HIM at half the budget with something about its internal model changed."""
    column = f"him-100M-{name}" if name else "him-100M"
    options = tuple(word for key, value in changes.items() for word in (f"--him.{key.replace('_', '-')}", str(value)))
    return Job(f"aliengo-{column}-0", "aliengo", "him", 0, HALF, options, sweep=True)


def stage(number: int) -> list[Job]:
    """The runs of a stage."""
    if number == 1:
        return [
            *(plain("aliengo", method, ships=True) for method in COMPARED),
            Job("aliengo-mob-flat-0", "aliengo", "mob", options=FLAT, ships=True),
        ]
    if number == 2:
        return [plain("aliengo", method, seed) for seed in (1, 2) for method in FURTHER_SEEDS]
    if number == 3:
        return [plain("a1", method, ships=True) for method in ON_A1]
    if number == 4:
        counts = [swept(f"prototypes-{n}", prototypes=n) if n != 16 else swept("") for n in PROTOTYPES]
        return [*counts, *(swept(name, **changes) for name, changes in CONTRASTIVE.items())]
    raise HimError(f"the campaign has stages 1 to 4, not {number}")
