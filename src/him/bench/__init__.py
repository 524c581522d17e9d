"""Measuring: the simulator's speed, and what a policy can do."""
