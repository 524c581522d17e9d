"""Methods by name: HIM, and what the paper compares it with."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from him.env.protocol import Sizes
from him.env.settings import TaskSettings
from him.errors import HimError
from him.learn.method import Him, Method
from him.learn.settings import TrainSettings
from him.methods.ablations import Baseline, NoLatentInput, NoLatentLoss, NoVelocityInput, NoVelocityLoss
from him.methods.mob import Mob
from him.methods.oracle import Oracle
from him.methods.regression import PlainRegression, Regression
from him.methods.rma import Rma, RmaOriginal

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
    "rma": Rma,
    "rma-original": RmaOriginal,
    "mob": Mob,
}


def task_for(name: str, settings: TaskSettings) -> TaskSettings:
    """The task with what a method asks of it, and nothing that it does not."""
    if name not in METHODS:
        raise HimError(f"there is no method {name!r}; choose one of {', '.join(METHODS)}")
    kind: Any = METHODS[name]
    return replace(settings, factors=kind.factors, gait=replace(settings.gait, active=kind.gait))
