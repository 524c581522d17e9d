"""Methods by name: HIM, and what the paper compares it with."""

from collections.abc import Callable

from him.env.protocol import Sizes
from him.learn.method import Him, Method
from him.learn.settings import TrainSettings

METHODS: dict[str, Callable[[Sizes, TrainSettings], Method]] = {"him": Him}
