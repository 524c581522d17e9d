"""`him export`: a run folder becomes one ONNX file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from him.learn.light import lighten
from him.methods import packing


@dataclass(frozen=True)
class Arguments:
    """Write the newest checkpoint of a run as a policy file that needs nothing else."""

    run: Annotated[Path, tyro.conf.Positional]
    """Folder of the run."""
    out: Path | None = None
    """The file; by default policy.onnx in that folder."""
    bits: Literal[32, 16] = 32
    """Of the weights in the file; with 16 it has half the size."""
    back: float = 0.0
    """Of a run with --start: share of the way back, in its weights, to the policy it started from. Between the two lie
    policies that have some of both; a negative share goes beyond what was learned."""


def main(argv: list[str]) -> int:
    arguments = tyro.cli(Arguments, prog="him export", args=argv)
    path = packing.export_run(arguments.run, arguments.out or arguments.run / "policy.onnx", arguments.back)
    if arguments.bits == 16:
        lighten(path, path)
    print(f"wrote {path}")
    return 0
