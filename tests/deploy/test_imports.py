import subprocess
import sys

HEAVY = """
import sys
import him.deploy, him.deploy.check, him.deploy.replay, him.cli.deploy
heavy = {"torch", "mujoco", "warp", "mujoco_warp", "numba", "cyclonedds", "matplotlib", "onnx"} & set(sys.modules)
sys.exit(f"imported: {heavy}" if heavy else 0)
"""

NEEDED = """
import sys

class Gate:
    \"\"\"Lets the standard library, NumPy, onnxruntime and the project pass, and nothing else.\"\"\"

    allowed = {*sys.stdlib_module_names, "numpy", "onnxruntime", "him"}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in self.allowed:
            raise ModuleNotFoundError(f"{name} is not allowed", name=name)

import numpy, onnxruntime  # with whatever they need themselves
sys.meta_path.insert(0, Gate())
from him.deploy import Controller, SimClock
from him.deploy.controller import Policy
"""


def test_controller_needs_neither_torch_nor_a_simulator():
    subprocess.run([sys.executable, "-c", HEAVY], check=True)


def test_controller_needs_numpy_and_onnxruntime_alone():
    subprocess.run([sys.executable, "-c", NEEDED], check=True)
