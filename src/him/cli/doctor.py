"""`him doctor`: what this machine can do, tried for real, and what to install for the rest."""

import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import tyro
from rich.console import Console
from rich.table import Table

from him.cli import probes
from him.cli.extras import extra_of
from him.cli.probes import Finding

DRIVER = "apt install nvidia-driver (Debian) or ubuntu-drivers install (Ubuntu)"
TORCH = "a build of torch for this driver: pytorch.org/get-started"
EGL = "apt install libegl1 libgl1-mesa-dri"
OSMESA = "apt install libosmesa6 (Debian up to 12, Ubuntu up to 24.04); egl is enough"
GLFW = "apt install libgl1, and a screen; egl is enough for pictures and videos"
PACKAGES = (
    ("running a policy", "onnxruntime", "onnxruntime"),
    ("training", "torch", "torch"),
    ("exporting a policy", "onnxscript", "onnxscript"),
    ("curves", "tensorboard", "tensorboard"),
    ("live view", "viser", "viser"),
    ("Go2 over DDS", "cyclonedds", "cyclonedds"),
)


@dataclass(frozen=True)
class Arguments:
    """Try everything and say what works."""


@dataclass(frozen=True)
class Row:
    """One line of the answer."""

    what: str
    finding: Finding
    remedy: str = ""
    essential: bool = False
    """One of the things of which at least one must work for the project to be of use here."""


def main(argv: list[str]) -> int:
    tyro.cli(Arguments, prog="him doctor", args=argv)
    console = Console()
    with console.status("trying the engines, rendering and encoders (the first time takes a minute)"):
        rows = list(examine())
    console.print(report(rows))
    return 0 if any(row.essential and row.finding.works for row in rows) else 1


def examine() -> Iterator[Row]:
    """Everything that can be tried, in the order a user needs it."""
    supported = (3, 11) <= sys.version_info < (3, 13)
    yield Row("Python", Finding(supported, platform.python_version()), "install Python 3.11 or 3.12")
    yield Row("engine: native (CPU)", probes.attempt("native"), essential=True)
    yield Row("engine: warp on CPU", probes.attempt("warp", "cpu"), essential=True)
    card = probes.attempt("gpu")
    yield Row("NVIDIA GPU", card, DRIVER)
    if card.works:
        yield Row("engine: warp on CUDA", probes.attempt("warp", "cuda:0"), DRIVER, essential=True)
        yield Row("training on the GPU", probes.attempt("torch_cuda"), TORCH)
    for library, remedy in (("egl", EGL), ("osmesa", OSMESA), ("glfw", GLFW)):
        yield Row(f"rendering: {library}", probes.attempt("rendering", MUJOCO_GL=library), remedy)
    yield Row("video", probes.attempt("video"))
    for purpose, module, distribution in PACKAGES:
        finding = probes.attempt("package", module, distribution)
        yield Row(purpose, finding, f"pip install {distribution}", essential=module == "onnxruntime")


def remedy(row: Row) -> str:
    """What to install: the extra of a missing Python module before any system package."""
    if row.finding.works:
        return ""
    _, found, module = row.finding.detail.partition("No module named ")
    extra = extra_of(module.strip("'")) if found else None
    return f"pip install 'him[{extra}]'" if extra else row.remedy


def report(rows: list[Row]) -> Table:
    table = Table("", "", "found", "to get it", title="what this machine can do")
    for row in rows:
        mark = "[green]yes[/]" if row.finding.works else "[yellow]no[/]"
        detail = row.finding.detail if row.finding.works else f"[dim]{_plain(row.finding.detail)}[/]"
        table.add_row(row.what, mark, detail, _plain(remedy(row)))
    return table


def _plain(text: str) -> str:
    """Keep rich from reading brackets as markup."""
    return text.replace("[", r"\[")
