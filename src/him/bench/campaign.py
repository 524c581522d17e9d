"""Runs the jobs of a stage one after the other or side by side, within a time, and remembers what is done.

Everything here can be interrupted: a training run saves its state when asked to end and goes on the next time, and so
does a benchmark. The list of what was run is a file that is read and written whole.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from him.bench.jobs import Job
from him.bench.launch import Clock, Launch, OutOfTimeError, launch
from him.learn.export import read
from him.learn.light import lighten
from him.learn.run import Run
from him.methods.packing import commit, placeless

START_UP = 60.0
"""Seconds from the command to the first sample: kernels, terrain, compilation."""

RATE, TOGETHER = 500_000.0, 1_000_000.0
"""Samples a second to expect of a run, and of all that run side by side, while none is known; an H200 makes more."""


MEASURING = ("tracking", "contrastive")
"""Steps that train nothing."""


@dataclass
class Campaign:
    """Where runs and results lie, and what is done."""

    runs: Path
    results: Path
    clock: Clock
    train: tuple[str, ...] = ()
    """Further options of every training."""
    tracking: tuple[str, ...] = ()
    """Further options of every tracking table."""
    policies: Path = Path("policies")
    """Where policies ship. A fresh clone has what was kept of them there alone."""
    ship: bool = False
    """Whether to copy policies there."""
    whole: bool = False
    """Begin a training only if it is expected to end in time."""
    parallel: int = 1
    """Jobs done side by side."""
    measure: bool = True
    """Whether what is trained is measured too, or left for another call."""
    say: Callable[[str], None] = print
    launch: Launch = launch

    def __post_init__(self) -> None:
        self.path = self.results / "campaign.json"
        self.list: dict[str, Any] = json.loads(self.path.read_text()) if self.path.exists() else {"runs": {}}
        self._lock = threading.Lock()

    def todo(self, job: Job) -> list[str]:
        """Steps of a job that are not done yet."""
        done = self.list["runs"].get(job.name, {}).get("done", [])
        left = [step for step in job.steps if step not in done]
        lost = "contrastive" in left and not (self.runs / job.name).exists()
        lost |= "tracking" in left and "keep" not in left and self._kept(job) is None
        return list(job.steps) if lost else left

    def _kept(self, job: Job) -> Path | None:
        """What there is of a policy that was kept: its own file, or the one that ships."""
        kept, shipped = self.results / job.name / "policy.onnx", self.policies / f"{job.policy}.onnx"
        if kept.exists():
            return kept
        command = " ".join(placeless(self.list["runs"][job.name].get("command", "").split()))
        return shipped if shipped.exists() and read(shipped)[1].command == command else None

    def _restore(self, job: Job) -> None:
        """Put the policy that ships where those of all runs are looked for."""
        kept = self.results / job.name / "policy.onnx"
        if "keep" not in self.todo(job) and not kept.exists() and (shipped := self._kept(job)):
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(shipped, kept)

    def expected(self, job: Job) -> float:
        """Seconds that a training will take, by the slowest run known of those that had as much company."""
        runs = [run for run in self.list["runs"].values() if run.get("parallel") == self.parallel]
        usual = 1.0 / min(RATE, TOGETHER / self.parallel)
        return START_UP + job.whole * max((run["seconds"] / run["samples"] for run in runs), default=usual)

    def run(self, jobs: Sequence[Job]) -> bool:
        """Do what is left of some jobs; whether all of it was done."""
        pool = ThreadPoolExecutor(self.parallel)
        try:
            return all(list(pool.map(self._job, jobs)))
        except BaseException:
            self.clock.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def _job(self, job: Job) -> bool:
        doing: dict[str, Callable[[Job], None]] = {
            "train": self._train,
            "keep": self._keep,
            "tracking": self._track,
            "contrastive": self._look,
        }
        self._restore(job)
        for step in self.todo(job):
            if step in MEASURING and not self.measure:
                return False
            self.say(f"{job.name}: {step}")
            try:
                doing[step](job)
            except OutOfTimeError:
                self.say(f"{job.name}: no time for {step}; call again to go on")
                return False
            except (RuntimeError, OSError) as error:
                self.say(f"{job.name}: {step} failed: {error}")
                return False
            self._note(job, step)
        return True

    def _him(self, job: Job, *words: str) -> None:
        self.launch(words, self.runs / f"{job.name}.log", self.clock)

    def _train(self, job: Job) -> None:
        folder = self.runs / job.name
        if not (folder / "policy.onnx").exists():
            if self.whole and self.clock.left < self.expected(job):
                raise OutOfTimeError
            self._him(job, *job.train(folder, self.train))
        if not (folder / "policy.onnx").exists():
            raise OutOfTimeError

    def _keep(self, job: Job) -> None:
        """What of a run stays when its folder goes; of its policy, the light form is what is measured and ships."""
        folder, kept = self.runs / job.name, self.results / job.name
        Run(folder).keep(kept)
        policy = lighten(folder / "policy.onnx", kept / "policy.onnx")
        if self.ship and job.ships:
            self._ship(policy, self.policies / f"{job.policy}.onnx")

    def _ship(self, policy: Path, place: Path) -> None:
        """A policy that somebody chose is not replaced."""
        if place.exists() and place.read_bytes() != policy.read_bytes():
            self.say(f"{place} is another policy and stays: copy {policy} there if it is to be replaced")
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(policy, place)

    def _track(self, job: Job) -> None:
        policy, out = self.results / job.name / "policy.onnx", self.results / ("sweeps" if job.sweep else "tracking")
        self._him(job, "bench", "tracking", str(policy), "--out", str(out), *self.tracking)

    def _look(self, job: Job) -> None:
        out = self.results / "contrastive", self.results / "sweeps"
        self._him(
            job, "bench", "contrastive", str(self.runs / job.name), "--out", str(out[0]), "--tracking", str(out[1])
        )

    def _note(self, job: Job, step: str) -> None:
        """Add a step to the list; several jobs may do so at once."""
        with self._lock:
            entry = self.list["runs"].setdefault(job.name, {"done": []})
            if step == "train":
                run = Run(self.runs / job.name)
                last = run.metrics()[-1]
                entry |= {
                    "command": " ".join(run.record()["command"]),
                    "commit": commit(),
                    "samples": last["samples"],
                    "seconds": round(last["seconds"], 1),
                    "parallel": self.parallel,
                }
            entry["done"] = [*(done for done in entry["done"] if done != step), step]
            self.results.mkdir(parents=True, exist_ok=True)
            part = self.path.with_suffix(".part")
            part.write_text(json.dumps(self.list, indent=1) + "\n")
            part.replace(self.path)


def conclusions(number: int, jobs: Sequence[Job], results: Path) -> list[list[str]]:
    """What a stage measures when its runs are done, as words after `him`; the report is always last."""
    found: list[list[str]] = []
    if number in (1, 3):
        names = [f"{jobs[0].robot}-{method}-0" for method in ("him", "regression")]
        pair = [str(results / name / "policy.onnx") for name in names]
        found.append(["bench", "latent", *pair, "--out", str(results / "latent")])
    return [*found, ["bench", "report", "--results", str(results)]]
