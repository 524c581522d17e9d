import subprocess
import sys

CODE = """
import sys
import him.deploy, him.deploy.check, him.deploy.replay, him.cli.deploy
heavy = {"torch", "mujoco", "warp", "mujoco_warp", "cyclonedds", "matplotlib", "onnx"} & set(sys.modules)
sys.exit(f"imported: {heavy}" if heavy else 0)
"""


def test_controller_needs_neither_torch_nor_a_simulator():
    subprocess.run([sys.executable, "-c", CODE], check=True)
