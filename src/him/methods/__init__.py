"""Methods by name: HIM, and what the paper compares it with."""

from collections.abc import Callable

from him.env.protocol import Sizes
from him.learn.method import Him, Method
from him.learn.settings import TrainSettings
from him.methods.ablations import Baseline, NoLatentInput, NoLatentLoss, NoVelocityInput, NoVelocityLoss
from him.methods.oracle import Oracle
from him.methods.regression import PlainRegression, Regression

METHODS: dict[str, Callable[[Sizes, TrainSettings], Method]] = {
    "him": Him,
    "baseline": Baseline,
    "no-velocity-input": NoVelocityInput,
    "no-velocity-loss": NoVelocityLoss,
    "no-latent-input": NoLatentInput,
    "no-latent-loss": NoLatentLoss,
    "regression": Regression,
    "plain-regression": PlainRegression,
    "oracle": Oracle,
}
