"""One policy on one task: measured once, kept in a file, not measured again."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from him.bench.tasks import scores
from him.bench.tasks.crew import Crew
from him.bench.tasks.entrants import Entrant
from him.bench.tasks.scene import Task
from him.bench.tasks.table import TABLE
from him.bench.tasks.trial import Outcome

Tick = Callable[[], None]


@dataclass(frozen=True)
class Cell:
    """A field of the results table."""

    task: Task
    entrant: Entrant
    trials: int

    def path(self, folder: Path) -> Path:
        return folder / "cells" / self.entrant.name / f"{self.task.name}.json"

    def identity(self) -> dict[str, Any]:
        """What a kept result must have been measured with to count."""
        return {
            "task": self.task.name,
            "policy": self.entrant.name,
            "robot": self.entrant.robot,
            "method": self.entrant.method,
            "sha256": self.entrant.digest,
            "trials_each": self.trials,
            "table": json.loads(json.dumps(asdict(TABLE))),
        }

    def kept(self, folder: Path) -> dict[str, Any] | None:
        """The result of an earlier run, if it was the same policy file, table and number of trials."""
        try:
            found = json.loads(self.path(folder).read_text())
        except (OSError, ValueError):
            return None
        same = isinstance(found, dict) and all(found.get(k) == value for k, value in self.identity().items())
        return found if same else None

    def keep(self, folder: Path, result: dict[str, Any]) -> dict[str, Any]:
        """Write the result whole or not at all."""
        path, whole = self.path(folder), self.identity() | result
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.part")
        part.write_text(json.dumps(whole, indent=1) + "\n")
        part.replace(path)
        return whole

    def measure(self, crew: Crew, tick: Tick = lambda: None) -> dict[str, Any]:
        """Run the trials; `tick` is called after each."""
        began = perf_counter()
        result = self._weight(crew, tick) if self.task.metric == "weight" else self._rate(crew, tick)
        return result | {"wall_seconds": round(perf_counter() - began, 1)}

    def _rate(self, crew: Crew, tick: Tick) -> dict[str, Any]:
        outcomes = self._run(crew, tick, range(self.trials))
        return {
            "score": scores.score(self.task.metric, outcomes),
            "ends": scores.endings(outcomes),
            "outcomes": [outcome.row() for outcome in outcomes],
        }

    def _weight(self, crew: Crew, tick: Tick) -> dict[str, Any]:
        """Search the largest weight; a weight's trials end when it is decided, those of the answer are completed."""
        probes: dict[float, list[Outcome]] = {}

        def mastered(weight: float) -> bool:
            probes[weight] = self._run(crew, tick, range(self.trials), weight, until_decided=True)
            return _passed(probes[weight]) >= scores.needed(self.trials)

        answer = scores.largest(scores.weights(), mastered)
        if answer:
            done = {outcome.seed for outcome in probes[answer]}
            rest = [seed for seed in range(self.trials) if seed not in done]
            probes[answer] += self._run(crew, tick, rest, answer)
        tried = probes[answer or min(probes)]
        return {
            "score": scores.score("weight", tried if answer else [], answer),
            "ends": scores.endings(tried),
            "probes": [{"kg": kg, "passed": _passed(p), "trials": len(p)} for kg, p in sorted(probes.items())],
            "outcomes": [outcome.row() for outcome in sorted(tried, key=lambda outcome: outcome.seed)],
        }

    def _run(
        self, crew: Crew, tick: Tick, seeds: range | list[int], weight: float = 0.0, until_decided: bool = False
    ) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for outcome in crew.trials(self.entrant.path, self.task.name, seeds, weight):
            outcomes.append(outcome)
            tick()
            passed = _passed(outcomes)
            if until_decided and scores.decided(passed, len(outcomes) - passed, self.trials) is not None:
                break
        return sorted(outcomes, key=lambda outcome: outcome.seed)


def _passed(outcomes: list[Outcome]) -> int:
    return sum(outcome.passed for outcome in outcomes)
