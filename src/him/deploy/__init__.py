"""From a policy file to a walking robot: the controller and the wire. NumPy and onnxruntime, no simulator."""

from him.deploy.clock import Clock, RealClock, SimClock
from him.deploy.controller import Controller
from him.deploy.links import Link, UdpLink, open_link
from him.deploy.messages import Command, State
from him.deploy.settings import Limits, Settings
from him.deploy.states import Mode, Request

__all__ = [
    "Clock",
    "Command",
    "Controller",
    "Limits",
    "Link",
    "Mode",
    "RealClock",
    "Request",
    "Settings",
    "SimClock",
    "State",
    "UdpLink",
    "open_link",
]
