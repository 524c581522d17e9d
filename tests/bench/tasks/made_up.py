"""A crew whose trials are decided by a rule, and an entrant that is no file."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from him.bench.tasks.entrants import Entrant
from him.bench.tasks.scene import PASSED
from him.bench.tasks.trial import FALLEN, Outcome

Rule = Callable[[int, float], bool]


class RuleCrew:
    """Decides trials by seed and weight, and remembers which were asked for."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self.asked: list[tuple[float, int]] = []

    def trials(self, policy: Path, task: str, seeds: Sequence[int], weight: float = 0.0) -> Iterator[Outcome]:
        for seed in seeds:
            self.asked.append((weight, seed))
            yield Outcome(seed, PASSED if self._rule(seed, weight) else FALLEN, float(seed), 1.0, 0.8)


def entrant(name: str = "rex", robot: str = "a1", method: str = "him", digest: str = "0") -> Entrant:
    return Entrant(name, Path(f"{name}.onnx"), robot, method, digest)
