"""What a step says about itself: means over the environments, summed up on the device until they are asked for."""

from collections.abc import Sequence

import torch
from torch import Tensor

from him.env.episode import Constants, Episode
from him.env.rewards import Motion
from him.sim.engine import CONTROL_PERIOD
from him.terrain import KINDS

SCORE_SCALE = 0.25
"""Of the normalised tracking scores, NLTS and NATS (paper, section 4.3)."""


class Report:
    """Names of the figures, and their values after a step."""

    def __init__(self, constants: Constants, weights: object, terms: Sequence[str]) -> None:
        """`weights` has an attribute for each of the reward's `terms`."""
        self.constants = constants
        self.weights = {name: float(getattr(weights, name)) for name in terms}
        self.kinds = {tuple(KINDS)[k]: k for k in constants.kind[:, 0].unique().tolist()}
        self.names = (
            *(f"reward/{name}" for name in terms),
            *("reward/total", "tracking/linear_error", "tracking/angular_error"),
            *("tracking/linear_score", "tracking/angular_score", "terrain/highest"),
            *("terrain/level", *(f"terrain/level_{name}" for name in self.kinds)),
            *("commands/reach_x", "commands/reach_yaw", "episode/falls_per_second", "episode/faults"),
        )

    def __call__(
        self, terms: dict[str, Tensor], reward: Tensor, m: Motion, e: Episode, fell: Tensor, fault: Tensor
    ) -> Tensor:
        """Figures in the order of `names`. Pure."""
        linear = torch.linalg.vector_norm(m.command[:, :2] - m.velocity[:, :2], dim=-1)
        angular = (m.command[:, 2] - m.rates[:, 2]).abs()
        level = self.constants.level[e.column, e.row].float()
        kind = self.constants.kind[e.column, e.row]
        per_kind = [(level * (kind == k)).sum() / (kind == k).sum().clamp(min=1) for k in self.kinds.values()]
        reach = e.reach[self.constants.place(e.column, e.row)]
        values = [
            *(self.weights[name] * value.mean() for name, value in terms.items()),
            *(reward.mean() / CONTROL_PERIOD, linear.mean(), angular.mean()),
            *(_score(linear), _score(angular), level.max(), level.mean(), *per_kind),
            *(reach[:, 0].mean(), reach[:, 2].mean(), fell.float().mean() / CONTROL_PERIOD, fault.float().sum()),
        ]
        return torch.stack(values)


def _score(error: Tensor) -> Tensor:
    """The paper's normalised tracking score (section 4.3), whatever the reward's own scale is."""
    return torch.exp(-error.square() / SCORE_SCALE).mean()


class Means:
    """Running means of a report."""

    def __init__(self, names: tuple[str, ...], device: torch.device) -> None:
        self.names = names
        self.sums, self.count = torch.zeros(len(names), device=device), torch.zeros((), device=device)

    def add(self, values: Tensor) -> None:
        self.sums += values
        self.count += 1

    def take(self) -> dict[str, Tensor]:
        """Means since the last call."""
        means = self.sums / self.count.clamp(min=1)
        self.clear()
        return dict(zip(self.names, means.unbind(), strict=True))

    def clear(self) -> None:
        self.sums.zero_()
        self.count.zero_()
