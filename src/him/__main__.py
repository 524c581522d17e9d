"""`python -m him` is `him`."""

from him.cli.main import run

run()
