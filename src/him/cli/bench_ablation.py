"""`him bench ablation`: the paper's learning curves."""

from pathlib import Path

import tyro

from him.bench import ablation
from him.bench.runs import find, read
from him.cli.outputs import keep
from him.errors import HimError


def run_ablation(
    folders: tyro.conf.Positional[tuple[Path, ...]] = (),
    /,
    runs: Path = Path("results"),
    robot: str = "aliengo",
    out: Path = Path("results/ablation"),
) -> int:
    """Learning curves of all methods: tracking scores and terrain level over samples, and the number of prototypes.

    Args:
        folders: run folders, or their copies under results/.
        runs: folder to look for runs in where none is named.
        robot: whose runs to draw.
        out: folder of the figures and the table.
    """
    from him.view import ablation as picture

    chosen = list(folders) or find(runs)
    if not chosen:
        raise HimError(f"there is no run in {runs}: train some, or name their folders")
    result = ablation.result([read(folder) for folder in chosen], robot)
    keep(out / robot, result, ablation.markdown(result))
    if result["methods"]:
        print(f"wrote {picture.draw(result['methods'], out / f'{robot}.png', robot)}")
    if result["prototypes"]:
        print(f"wrote {picture.draw_prototypes(result['prototypes'], out / f'{robot}-prototypes.png', robot)}")
    print(f"wrote {out / robot}.md and .json")
    return 0
