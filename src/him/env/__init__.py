"""The task: what a robot is asked to do, what it senses, and what it is rewarded for."""
