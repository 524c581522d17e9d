"""The training loop around the learner: progress, metrics, checkpoints, signals and resuming."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch

from him.env.protocol import Observation, Sizes, Task
from him.errors import HimError
from him.learn import checkpoint, distributed, progress
from him.learn.learner import prepared
from him.learn.method import Logs, Method, phases
from him.learn.run import Run
from him.learn.settings import TrainSettings

SAME_SIGNAL = 1.0
"""Seconds within which another SIGINT is the same one."""


class NotFiniteError(HimError):
    """Too many updates had to be skipped; the state was saved."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    iteration: int
    samples: int
    seconds: float
    reason: Literal["finished", "interrupted"]


def seed_everything(seed: int) -> None:
    """Call before task and method are built. Processes draw differently; their weights are shared later."""
    torch.manual_seed(seed + distributed.rank())


class Trainer:
    """Trains a method on a task into a run folder."""

    def __init__(
        self,
        task: Task,
        method: Method,
        folder: Path,
        name: str = "him",
        command: Sequence[str] = (),
        about: dict[str, Any] | None = None,
        resume: bool | Path = False,
    ) -> None:
        """`resume` continues the run of the folder from its newest checkpoint, or from the one named."""
        self.phases, self.begun = phases(method), [0]
        self.run_folder = Run(folder)
        self.learner = prepared(task, self.method)
        self.iteration, self.samples, self.seconds = 0, 0, 0.0
        self.samples_each = task.num_envs * self.settings.rollout * distributed.world()
        self.stopping = False
        if resume:
            self._resume(self.run_folder.checkpoints if resume is True else Path(resume), command)
        else:
            if distributed.rank() == 0:
                self.run_folder.create(name, Sizes.of(task), self.settings, command, about or {})
                self._record_phases()
            self.learner.start()

    @property
    def method(self) -> Method:
        """Of the present phase."""
        return self.phases[len(self.begun) - 1]

    @property
    def settings(self) -> TrainSettings:
        """Of the present phase."""
        return self.method.settings

    @property
    def phase_end(self) -> int:
        """Iteration with which the present phase ends."""
        return self.begun[-1] + self._planned(self.settings)

    @property
    def total_iterations(self) -> int:
        return self.phase_end + sum(self._planned(method.settings) for method in self.phases[len(self.begun) :])

    @property
    def done(self) -> float:
        """Share of the phase that lies behind: of its iterations, or of its time where that is limited."""
        share = (self.iteration - self.begun[-1]) / max(self.phase_end - self.begun[-1], 1)
        limit = self.settings.seconds
        return share if limit is None else max(share, self.seconds / max(limit, 1e-9))

    def run(self) -> Outcome:
        """Train to the end, or until SIGINT or SIGTERM; either way the last state is saved."""
        with ExitStack() as stack:
            stack.enter_context(self._signals())
            main = distributed.rank() == 0
            total = self.total_iterations * self.samples_each
            view = stack.enter_context(progress.display(total) if main else progress.Silent())
            board = progress.tensorboard(self.run_folder.folder / "tensorboard", self.samples) if main else None
            if board is not None:
                stack.callback(board.close)
            while True:
                outcome = self._loop(view, board)
                if outcome.reason == "interrupted" or not self._next_phase():
                    return outcome

    def _planned(self, settings: TrainSettings) -> int:
        """Iterations of a phase with these settings."""
        return -(-settings.samples // self.samples_each) if settings.iterations is None else settings.iterations

    def _next_phase(self) -> bool:
        """Go on with the same robots where they are; false if there is no phase left."""
        if len(self.begun) == len(self.phases):
            return False
        last = self.learner.rollout
        self.begun.append(self.iteration)
        self.learner = prepared(self.learner.task, self.method)
        self.learner.rollout.start(Observation(last.frames[-1], last.extras[-1]), last.velocities[-1])
        self._record_phases()
        return True

    def plan(self) -> list[dict[str, Any]]:
        """Name and samples of each phase, and the iteration after which those that have begun did."""
        samples = [self._planned(method.settings) * self.samples_each for method in self.phases]
        named = [{"name": m.phase, "samples": n} for m, n in zip(self.phases, samples, strict=True)]
        return [p | ({"iteration": self.begun[i]} if i < len(self.begun) else {}) for i, p in enumerate(named)]

    def _record_phases(self) -> None:
        if len(self.phases) > 1 and distributed.rank() == 0:
            self.run_folder.enter(self.plan())

    def _loop(self, view: progress.Display, board: Any | None) -> Outcome:
        before, last_save = time.monotonic(), time.monotonic()
        mark = (self.seconds, self.samples)
        while self.iteration < self.phase_end:
            self.learner.schedule(self.done)
            logs = self.learner.iterate()
            self.iteration += 1
            self.samples += self.samples_each
            last = self.iteration == self.phase_end
            broken = False
            if last or self.iteration % self.settings.log_every == 0:
                figures = self._read(logs)
                broken = figures["update/skipped"] > self.settings.max_skipped_updates
            now = time.monotonic()
            self.seconds, before = distributed.slowest(self.seconds + now - before, self.learner.task.device), now
            if last or self.iteration % self.settings.log_every == 0:
                self._report(figures, mark, view, board)
                mark = (self.seconds, self.samples)
            due = now - last_save >= self.settings.checkpoint_seconds
            late = self.settings.seconds is not None and self.seconds >= self.settings.seconds
            stop, save, broken, late = distributed.any_process(
                [self.stopping, due, broken, late], self.learner.task.device
            )
            if stop or save or last or broken or late:
                path = self.save()
                last_save = time.monotonic()
            if broken:
                raise NotFiniteError(
                    f"more than {self.settings.max_skipped_updates} updates had a loss or gradient "
                    f"that is not finite; the state was saved as {path}"
                )
            if late:
                break
            if stop and self.iteration < self.total_iterations:
                return Outcome(self.iteration, self.samples, self.seconds, "interrupted")
        return Outcome(self.iteration, self.samples, self.seconds, "finished")

    def save(self) -> Path:
        state = self.learner.state_dict()
        keep = self.settings.keep_checkpoints
        reached = (self.iteration, self.samples, self.seconds)
        return checkpoint.save(self.run_folder.checkpoints, state, *reached, keep, self.begun)

    def _resume(self, source: Path, command: Sequence[str]) -> None:
        state, manifest = checkpoint.load(source)
        if manifest.phase > 0:
            self.begun = manifest.phases
            self.learner = prepared(self.learner.task, self.method)
        try:
            self.learner.load_state_dict(state)
        except (KeyError, RuntimeError) as error:
            raise HimError(
                f"the checkpoint in {source} does not fit these settings: {error}. Go on with the options it began "
                "with, and on the same kind of device: the simulators of GPU and CPU have states of their own"
            ) from error
        self.iteration, self.samples, self.seconds = manifest.iteration, manifest.samples, manifest.seconds
        if distributed.rank() == 0:
            self.run_folder.resume(self.phases[0].settings, command, self.iteration)
            self._record_phases()

    def _read(self, logs: Logs) -> dict[str, float]:
        """All figures in one transfer: the loop's only wait for the device."""
        everything = logs | self.learner.task.metrics()
        stacked = torch.stack([value.float() for value in everything.values()])
        return dict(zip(everything, distributed.mean(stacked).tolist(), strict=True))

    def _report(
        self, figures: dict[str, float], mark: tuple[float, int], view: progress.Display, board: Any | None
    ) -> None:
        rate = (self.samples - mark[1]) / max(self.seconds - mark[0], 1e-9)
        left = (self.total_iterations - self.iteration) * self.samples_each / max(rate, 1e-9)
        counters = (self.iteration, self.samples, self.seconds, rate, left)
        metrics = dict(zip(progress.COUNTERS, counters, strict=True)) | figures
        if len(self.phases) > 1:
            metrics["phase"] = len(self.begun)
        if distributed.rank() == 0:
            self.run_folder.append(metrics)
            view.show(metrics)
            if board is not None:
                for name, value in metrics.items():
                    board.add_scalar(name, value, self.samples)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """A first SIGINT or SIGTERM lets the iteration finish; a SIGINT a second later or more ends at once.

        Not earlier: who passes signals on (`timeout`, torchrun, a terminal to a whole group) often sends one twice.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        first = math.inf

        def ask(number: int, _: Any) -> None:
            nonlocal first
            if number == signal.SIGINT and time.monotonic() - first > SAME_SIGNAL:
                raise KeyboardInterrupt
            first = min(first, time.monotonic())
            self.stopping = True

        previous = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)
