"""Words for a person, spoken by a thread of their own: a terminal that does not listen keeps nobody waiting."""

import queue
import threading
from collections.abc import Callable


class Aside:
    """Called like `print`; returns at once."""

    def __init__(self, say: Callable[[str], None] = print) -> None:
        self._say = say
        self._waiting: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._speaker = threading.Thread(target=self._speak, daemon=True)
        self._speaker.start()

    def __call__(self, text: str) -> None:
        self._waiting.put(text)

    def close(self, seconds: float = 1.0) -> None:
        """Say what is left, but do not wait for ever."""
        self._waiting.put(None)
        self._speaker.join(seconds)

    def _speak(self) -> None:
        while (text := self._waiting.get()) is not None:
            self._say(text)
