"""What the policy is shown of the internal model: an average that follows what is learned.

The policy walks as fast as the estimate says it should, so a new estimate makes new data. Shown at once, an
estimate that has just been corrected for the last data is wrong for the next, and the two chase each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class Shown:
    """Parameters that hold the average, except while they are learned."""

    def __init__(self, parameters: Sequence[nn.Parameter]) -> None:
        self.parameters: list[Tensor] = list(parameters)
        self.learned = [parameter.detach().clone() for parameter in parameters]

    @contextmanager
    def learning(self, share: float) -> Iterator[None]:
        """Within, the parameters are those that are learned; then the average goes this share of the way to them."""
        with torch.no_grad():
            average = [parameter.detach().clone() for parameter in self.parameters]
            torch._foreach_copy_(self.parameters, self.learned)
        yield
        with torch.no_grad():
            torch._foreach_copy_(self.learned, self.parameters)
            torch._foreach_lerp_(average, self.learned, share)
            torch._foreach_copy_(self.parameters, average)

    def state_dict(self) -> dict[str, Tensor]:
        return {str(k): value for k, value in enumerate(self.learned)}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        for k, value in enumerate(self.learned):
            value.copy_(state[str(k)])
