"""`him bench latent`: what the latents of policies know of the world."""

from pathlib import Path
from typing import Any

import tyro
from rich.console import Console

from him.bench import latent
from him.bench.evaluation import TERRAINS
from him.bench.latent import LatentSettings
from him.bench.paper import title
from him.bench.player import Player
from him.bench.records import Subject
from him.cli.outputs import keep
from him.errors import HimError
from him.sim import engines


def run_latent(
    policies: tyro.conf.Positional[tuple[str, ...]],
    /,
    settings: tyro.conf.OmitArgPrefixes[LatentSettings] = LatentSettings(),  # noqa: B008
    out: Path = Path("results/latent"),
    device: str | None = None,
) -> int:
    """t-SNE of latents coloured by terrain, their silhouette, and linear probes on held-out trajectories.

    Args:
        policies: a policy of him and one of regression, or any that tell a latent, by name or path.
        settings: how much is looked at.
        out: folder of the figure and the table.
        device: torch device; by default the GPU where there is one.
    """
    from him.bench import probes
    from him.view import latent as picture

    where = device or str(engines.default_device())
    players = [Player(policy, where) for policy in policies]
    robots = {player.contract.robot for player in players}
    if len(robots) != 1:
        raise HimError(f"latents are compared on one robot, not on {', '.join(sorted(robots)) or 'none'}")
    result: dict[str, Any] = {"robot": robots.pop(), "terrains": list(TERRAINS), "policies": {}, "pictures": {}}
    for player in players:
        about = Subject.of(player)
        with Console().status(f"walking with {about.name}"):
            walks = latent.walk(player, settings, where)
        with Console().status(f"probing {about.name}"):
            figures = {"title": title(about.column), "policy": about.name} | probes.figures(walks)
            result["policies"][about.column] = figures
            result["pictures"][about.column] = probes.picture(walks, settings.points)
    stem = out / result["robot"]
    keep(stem, result, latent.markdown(result))
    picture.draw(result, stem.with_suffix(".png"))
    print((stem.with_suffix(".md")).read_text())
    print(f"wrote {stem}.md, .json and .png")
    return 0
