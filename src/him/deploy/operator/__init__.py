"""Operators: keyboard, gamepad, the robot's remote control, or another program over UDP."""

from numpy.typing import ArrayLike

from him.deploy.operator.gamepad import Gamepad
from him.deploy.operator.intent import Intent, Operator
from him.deploy.operator.keyboard import Keyboard
from him.deploy.operator.network import Network
from him.deploy.operator.remote import Remote
from him.errors import HimError

__all__ = ["Gamepad", "Intent", "Keyboard", "Network", "Operator", "Remote", "open_operator"]


def open_operator(name: str, ranges: ArrayLike) -> Operator:
    """An operator by name: `keyboard`, `gamepad[:DEVICE]`, `remote`, or `udp:[HOST:]PORT`."""
    kind, _, rest = name.partition(":")
    if kind == "keyboard" and not rest:
        return Keyboard(ranges=ranges)
    if kind == "gamepad":
        return Gamepad(ranges, rest) if rest else Gamepad(ranges)
    if kind == "remote" and not rest:
        return Remote(ranges)
    if kind == "udp":
        host, _, port = rest.rpartition(":")
        if port.isdigit() and int(port) < 65536:
            return Network(int(port), host or "127.0.0.1")
    raise HimError(f"an operator is keyboard, gamepad[:DEVICE], remote or udp:[HOST:]PORT, not {name!r}")
