"""`him` as it is, but on a clock that runs at a given speed: `python slow_him.py SPEED deploy ...`.

A machine that cannot wake two processes 500 times a second misses deadlines for reasons that are not the code's.
Controller and fake robot both take a clock, so they can be given more time.
"""

import functools
import sys
import time

from him.cli import deploy, deploy_fake
from him.cli.main import main


class SlowClock:
    """The machine's clock, slowed down."""

    def __init__(self, speed: float) -> None:
        self._speed = speed

    def now(self) -> float:
        return self._speed * time.monotonic()

    def sleep_until(self, moment: float) -> None:
        time.sleep(max(0.0, moment / self._speed - time.monotonic()))


if __name__ == "__main__":
    deploy.RealClock = deploy_fake.RealClock = functools.partial(SlowClock, float(sys.argv[1]))
    sys.exit(main(sys.argv[2:]))
