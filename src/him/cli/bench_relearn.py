"""`him bench relearn`: variants of the contrastive loss, taught on the walks of one policy."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import tyro
from rich.progress import Progress

from him.bench import contrastive_study, latent, relearn
from him.bench.jobs import CONTRASTIVE
from him.bench.latent import LatentSettings
from him.bench.player import Player
from him.bench.records import Subject
from him.bench.relearn import RelearnSettings
from him.cli.outputs import keep
from him.errors import HimError
from him.sim import engines

VARIANTS: dict[str, dict[str, Any]] = {"default": {}, **CONTRASTIVE}


def run_relearn(
    policy: tyro.conf.Positional[str],
    /,
    settings: tyro.conf.OmitArgPrefixes[RelearnSettings] = RelearnSettings(),  # noqa: B008
    only: tuple[str, ...] = tuple(VARIANTS),
    probe_robots: int = LatentSettings.robots,
    out: Path = Path("results/contrastive"),
    device: str | None = None,
) -> int:
    """Teach internal models anew on the walks of a policy, with one setting of the contrastive loss each.

    What was measured of this policy in the same way is not measured again.

    Args:
        policy: name of a shipped policy or path of an .onnx file.
        settings: how much is walked and learned.
        only: variants to teach; all by default.
        probe_robots: robots for each terrain and level that the probes look at; 0 leaves them out.
        out: folder of the figures; `relearned.md` is the page.
        device: torch device; by default the GPU where there is one.
    """
    from him.view import contrastive as picture

    if strange := set(only) - set(VARIANTS):
        raise HimError(f"there is no variant {', '.join(sorted(strange))}; choose from {', '.join(VARIANTS)}")
    where = device or str(engines.default_device())
    player = Player(policy, where)
    if not player.contract.deployable:
        raise HimError(f"{player.path} sees more than a robot can: choose a policy that is deployable")
    how: dict[str, Any] = {
        "settings": asdict(settings) | {"probe_robots": probe_robots},
        "digest": Subject.of(player).digest,
    }
    folder = out / "relearned"
    left = [name for name in only if not _done(folder / f"{name}.json", how)]
    with Progress() as progress:
        task = progress.add_task("walking", total=len(left) + 2)
        if left:
            walked = relearn.walk(player.path, settings, where)
            progress.advance(task)
            walks = latent.walk(player, LatentSettings(robots=probe_robots), where) if probe_robots else None
            progress.advance(task)
        for name in left:
            progress.update(task, description=f"teaching {name}")
            found = relearn.measure(name, VARIANTS[name], walked, walks, settings)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.json").write_text(json.dumps(found | {"how": how}, indent=1) + "\n")
            progress.advance(task)
    measured = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    result = contrastive_study.study([one for one in measured if one["how"] == how])
    text = contrastive_study.markdown(result, [_command(policy, how["settings"])], contrastive_study.RELEARNED)
    keep(out / "relearned", result, text)
    picture.draw(result, out / "relearned.png")
    print(text)
    return 0


def _command(policy: str, settings: dict[str, Any]) -> str:
    """The line that measures this again, with what differs from the usual."""
    usual = asdict(RelearnSettings()) | {"probe_robots": LatentSettings.robots}
    options = [f"--{name.replace('_', '-')} {value}" for name, value in settings.items() if value != usual[name]]
    return " ".join(["him bench relearn", policy, *options])


def _done(path: Path, how: dict[str, Any]) -> bool:
    return path.exists() and json.loads(path.read_text())["how"] == how
