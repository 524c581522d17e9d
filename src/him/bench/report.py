"""One page with everything that lies under `results/`: claims first, then each benchmark's own page and pictures."""

import re
from pathlib import Path
from typing import Any

from him.bench import claims
from him.bench.evidence import Evidence, gather, load
from him.bench.markdown import grid

SECTIONS = ("tracking", "ablation", "latent", "contrastive", "tasks")
"""Folders below `results/`, in the order of the page; others are not part of it."""

INTRODUCTION = """What was measured here, with the claims of the paper first. *Held*, *did not hold* and *open* (the
intervals or the seeds do not decide) say what these measurements say, on these simulators, for these seeds; *not
measured* says that nothing was. How each figure is defined and made stands with it."""


def markdown(results: Path, robot: str = "aliengo") -> str:
    """The page; pictures are named relative to the folder of the results."""
    evidence = gather(results, robot)
    parts = ["# Results", INTRODUCTION, "## Claims of the paper", _claims(evidence)]
    if "him" in evidence.columns and (above := claims.rows_above(evidence)):
        why = load(results / "reasons.json")
        body = [
            [row, f"{ours:.3f}", f"{printed:.3f}", f"{factor:.2f}", why.get(row, "not known")]
            for row, ours, printed, factor in above
        ]
        parts += [
            "### Rows of HIM above the paper's",
            "By the better of both definitions (instantaneous, and averaged over half seconds).",
            grid(["row", "measured", "printed", "factor", "reason"], body),
        ]
    for name in SECTIONS:
        parts += _section(results, name)
    return "\n\n".join([*parts, *_runs(results)]) + "\n"


def _claims(evidence: Evidence) -> str:
    judged = claims.judge(evidence)
    return grid(
        ["claim", "where", "here", "measured"],
        [[claim.text, claim.where, f"**{finding.verdict}**", finding.why] for claim, finding in judged],
    )


def _section(results: Path, name: str) -> list[str]:
    """Pages of one folder, headings one level down, each with its pictures under its title."""
    parts = []
    for path in sorted((results / name).glob("*.md")):
        title, _, rest = re.sub(r"^#", "##", path.read_text().strip(), flags=re.M).partition("\n")
        pictures = sorted(path.parent.glob(f"{path.stem}*.png"), key=lambda picture: picture.stem)
        shown = [f"![{picture.stem}]({picture.relative_to(results).as_posix()})" for picture in pictures]
        parts += [title, *shown, rest.strip()]
    return parts


def _runs(results: Path) -> list[str]:
    """What was run, from the campaign's list."""
    runs: dict[str, dict[str, Any]] = load(results / "campaign.json").get("runs", {})
    body = [
        [name, f"{run['seconds']:.0f} s", run["commit"][:12], f"`{run['command']}`"]
        for name, run in runs.items()
        if "train" in run["done"]
    ]
    return ["## What was trained", grid(["run", "training", "revision", "command"], body)] if body else []
