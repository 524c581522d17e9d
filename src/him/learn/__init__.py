"""The learning core: internal model, PPO, rollout and trainer. It knows a task, not a simulator."""
