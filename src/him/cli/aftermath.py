"""What one wants to see when training is over: the curve, a first measurement and a video."""

import json
import subprocess
import sys
from pathlib import Path

from him.bench import first_steps
from him.bench.player import Player
from him.env.settings import TaskSettings
from him.learn.run import Run
from him.view import curve


def show(folder: Path, policy: Path, flat: TaskSettings | None) -> None:
    """Draw the learning curve; after a first training on flat ground also measure and film the policy."""
    player, metrics = Player(policy), Run(folder).metrics()
    if metrics:
        told = player.contract
        title = f"{told.robot}, {told.method}, {told.samples / 1e6:.1f} M samples"
        print(f"learning curve: {curve.draw(metrics, folder / 'curve.png', title)}")
    if flat is None:
        print(f"measure it with: him eval {policy}\nwatch it with: him play {policy}")
        return
    result = first_steps.measure(player, flat, device="cpu")
    (folder / "first_steps.json").write_text(json.dumps(result, indent=1) + "\n")
    print(
        f"{result['robots']} robots on flat ground for {result['seconds']:.0f} s, commands up to {first_steps.FASTEST} "
        f"m/s: mean error {result['mean_error_m_s']:.3f} m/s, {100 * result['share_of_commanded_speed']:.0f} % of the "
        f"commanded speed above {first_steps.BRISK} m/s, {result['falls']} fell"
    )
    _film(policy, folder / "video.mp4")


def _film(policy: Path, path: Path) -> None:
    """In a process of its own: MuJoCo chooses its OpenGL library when it is first imported."""
    options = ["--video", str(path), "--on", "flat", "--seconds", "12", "--size", "640", "360"]
    done = subprocess.run([sys.executable, "-m", "him", "play", str(policy), *options], capture_output=True, text=True)
    if done.returncode == 0:
        print(f"video: {path}")
    else:
        print(f"no video: {done.stderr.strip() or done.stdout.strip()}")
