import json
import os
import socket
import threading
from pathlib import Path

import numpy as np
import pytest

from him.cli.deploy import main
from him.deploy.log import read
from him.deploy.messages import State
from him.deploy.operator import network
from him.deploy.states import Mode, Request
from him.deploy.wire import FRAMES, Refused
from him.errors import HimError
from tests.policy import random_policy


class UdpRobot(threading.Thread):
    """An A1 on loopback that answers each command, and tells the operator's end what to send next."""

    def __init__(self, operator_port: int) -> None:
        super().__init__(daemon=True)
        self.commands: list = []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(5.0)
        self.port = self.socket.getsockname()[1]
        self._operator = ("127.0.0.1", operator_port)

    def run(self) -> None:
        zeros, level = np.zeros(12), np.array([1.0, 0.0, 0.0, 0.0])
        pose = np.tile([0.1, 0.8, -1.5], 4)
        while len(self.commands) < 2000:
            try:
                data, peer = self.socket.recvfrom(2048)
                self.commands.append(FRAMES["a1"].parse_command(data))
            except (Refused, TimeoutError):
                return
            count = len(self.commands)
            state = State(pose, zeros, zeros, level, zeros[:3], zeros[:3], tick=count)
            self.socket.sendto(FRAMES["a1"].pack_state(state), peer)
            if count % 50 == 0:
                request = {50: Request.STAND, 150: Request.DAMPING, 200: Request.QUIT}.get(count, Request.NONE)
                self.socket.sendto(network.pack(np.zeros(3), request), self._operator)


@pytest.fixture
def policy_file(tmp_path) -> Path:
    return random_policy.save(tmp_path / "a1.onnx", random_policy.contract())


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_run_drives_a_robot_on_loopback_and_replay_reads_its_log(policy_file, tmp_path, capsys, monkeypatch):
    port = free_port()
    robot = UdpRobot(port)
    robot.start()
    log = tmp_path / "run.log"
    before = os.sched_getscheduler(0)
    link = f"udp:127.0.0.1:{robot.port}"
    report = tmp_path / "sub" / "run.json"
    arguments = ["--link", link, "--operator", f"udp:{port}", "--log", str(log), "--report", str(report)]
    assert main(["run", str(policy_file), *arguments]) == 0
    assert os.sched_getscheduler(0) == before
    assert "cycles" in capsys.readouterr().out
    recording = read(log)
    assert {Mode.PASSIVE, Mode.STAND_UP, Mode.DAMPING} <= set(recording.mode)
    assert robot.commands[-1].servo
    assert robot.commands[-1].kd.tolist() == [3.0] * 12
    assert len(json.loads(report.read_text())["stops"]) == 1
    assert main(["replay", str(log)]) == 0
    assert "stand_up" in capsys.readouterr().out
    assert log.with_suffix(".png").exists()
    monkeypatch.setattr("him.cli.deploy.find_spec", lambda name: None)
    assert main(["replay", str(log)]) == 0
    assert "no picture was drawn" in capsys.readouterr().out


def test_check_says_when_nothing_answers(capsys):
    assert main(["check", "a1", "--link", f"udp:127.0.0.1:{free_port()}"]) == 1
    assert "FAILED" in capsys.readouterr().out


def test_address_must_be_given(policy_file, capsys):
    with pytest.raises(SystemExit):
        main(["run", str(policy_file)])
    assert "--link" in capsys.readouterr().err


def test_policy_for_another_robot_is_refused(policy_file):
    with pytest.raises(HimError, match="trained for a1, not for go1"):
        main(["run", str(policy_file), "--link", "udp:127.0.0.1:9", "--robot", "go1", "--operator", "udp:0"])
