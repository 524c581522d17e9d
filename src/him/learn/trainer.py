"""The training loop around the learner: progress, metrics, checkpoints, signals and resuming."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch

from him.env.protocol import Sizes, Task
from him.errors import HimError
from him.learn import checkpoint, distributed, progress
from him.learn.learner import Learner
from him.learn.method import Logs, Method
from him.learn.run import Run


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
        self.settings = method.settings
        self.run_folder = Run(folder)
        on_gpu, compiled = task.device.type == "cuda", self.settings.compile
        if on_gpu:
            torch.set_float32_matmul_precision(self.settings.precision)
        self.learner = Learner(task, method, on_gpu if compiled is None else compiled)
        self.iteration, self.samples, self.seconds = 0, 0, 0.0
        self.samples_each = task.num_envs * self.settings.rollout * distributed.world()
        self.stopping = False
        if resume:
            self._resume(self.run_folder.checkpoints if resume is True else Path(resume), command)
        else:
            if distributed.rank() == 0:
                self.run_folder.create(name, Sizes.of(task), self.settings, command, about or {})
            self.learner.start()

    @property
    def total_iterations(self) -> int:
        if self.settings.iterations is not None:
            return self.settings.iterations
        return -(-self.settings.samples // self.samples_each)

    def run(self) -> Outcome:
        """Train to the end, or until SIGINT or SIGTERM; either way the last state is saved."""
        with ExitStack() as stack:
            stack.enter_context(self._signals())
            main = distributed.rank() == 0
            total = self.total_iterations * self.samples_each
            view = stack.enter_context(progress.display(total) if main else progress.Silent())
            board = (
                progress.tensorboard(self.run_folder.folder / "tensorboard", self.samples) if main else None
            )
            if board is not None:
                stack.callback(board.close)
            return self._loop(view, board)

    def _loop(self, view: progress.Display, board: Any | None) -> Outcome:
        before, last_save = time.monotonic(), time.monotonic()
        mark = (self.seconds, self.samples)
        while self.iteration < self.total_iterations:
            logs = self.learner.iterate()
            self.iteration += 1
            self.samples += self.samples_each
            last = self.iteration == self.total_iterations
            broken = False
            if last or self.iteration % self.settings.log_every == 0:
                figures = self._read(logs)
                broken = figures["update/skipped"] > self.settings.max_skipped_updates
            now = time.monotonic()
            self.seconds, before = self.seconds + now - before, now
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
            if stop and not last:
                return Outcome(self.iteration, self.samples, self.seconds, "interrupted")
        return Outcome(self.iteration, self.samples, self.seconds, "finished")

    def save(self) -> Path:
        state = self.learner.state_dict()
        keep = self.settings.keep_checkpoints
        return checkpoint.save(
            self.run_folder.checkpoints, state, self.iteration, self.samples, self.seconds, keep
        )

    def _resume(self, source: Path, command: Sequence[str]) -> None:
        state, manifest = checkpoint.load(source)
        try:
            self.learner.load_state_dict(state)
        except (KeyError, RuntimeError) as error:
            raise HimError(f"the checkpoint in {source} does not fit these settings: {error}") from error
        self.iteration, self.samples, self.seconds = manifest.iteration, manifest.samples, manifest.seconds
        if distributed.rank() == 0:
            self.run_folder.resume(self.settings, command, self.iteration)

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
        if distributed.rank() == 0:
            self.run_folder.append(metrics)
            view.show(metrics)
            if board is not None:
                for name, value in metrics.items():
                    board.add_scalar(name, value, self.samples)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """A first SIGINT or SIGTERM lets the iteration finish; a second SIGINT ends at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def ask(number: int, _: Any) -> None:
            if self.stopping and number == signal.SIGINT:
                raise KeyboardInterrupt
            self.stopping = True

        previous = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)
