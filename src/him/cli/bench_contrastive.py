"""`him bench contrastive`: does the contrastive loss teach?"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console

from him.bench import contrastive, contrastive_study, latent
from him.bench.contrastive import ContrastiveSettings
from him.bench.latent import LatentSettings
from him.bench.player import Player
from him.cli.outputs import keep
from him.errors import HimError
from him.learn import checkpoint
from him.learn.run import Run
from him.sim import engines


def run_contrastive(
    runs: tyro.conf.Positional[tuple[Path, ...]] = (),
    /,
    settings: tyro.conf.OmitArgPrefixes[ContrastiveSettings] = ContrastiveSettings(),  # noqa: B008
    probe_robots: int = LatentSettings.robots,
    out: Path = Path("results/contrastive"),
    tracking: Path = Path("results/tracking"),
    page: Path | None = None,
    device: str | None = None,
) -> int:
    """Temperature and scaling of the contrastive loss against its share in the encoder's gradient, probes and tracking.

    Args:
        runs: run folders of HIM with their checkpoints; without any the table is written anew.
        settings: how much is looked at.
        probe_robots: robots for each terrain and level that the probes look at; 0 leaves them out.
        out: folder of the figures.
        tracking: folder of `him bench tracking`, whose errors stand beside the shares where there are any.
        page: also write the page to this file.
        device: torch device; by default the GPU where there is one.
    """
    from him.view import contrastive as picture

    where = device or str(engines.default_device())
    for folder in runs:
        with Console().status(f"measuring {folder}"):
            _measure(folder, settings, probe_robots, out / "runs", where)
    measured = [json.loads(path.read_text()) for path in sorted((out / "runs").glob("*.json"))]
    if not measured:
        raise HimError(f"nothing was measured in {out} yet: name at least one run of HIM")
    result = contrastive_study.study(measured, tracking / "policies")
    text = contrastive_study.markdown(result, [one["command"] for one in measured])
    keep(out / "contrastive", result, text)
    picture.draw(result, out / "contrastive.png")
    if page is not None:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)
    print(text)
    return 0


def _measure(folder: Path, settings: ContrastiveSettings, robots: int, out: Path, device: str) -> None:
    """One run, unless this very checkpoint was looked at in the same way before."""
    manifest = checkpoint.Manifest.read(checkpoint.find(Run(folder).checkpoints))
    how: dict[str, Any] = {"settings": asdict(settings) | {"probe_robots": robots}, "files": manifest.files}
    path = out / f"{folder.name}.json"
    if path.exists() and json.loads(path.read_text())["how"] == how:
        return
    result = contrastive.measure(folder, settings, device)
    result |= {"how": how, "probes": None, "command": " ".join(Run(folder).record()["command"])}
    if robots:
        from him.bench import probes

        walks = latent.walk(Player(folder / "policy.onnx", device), LatentSettings(robots=robots), device)
        result["probes"] = probes.figures(walks)["probes"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n")
