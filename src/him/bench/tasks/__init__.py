"""The paper's eight real-world tasks in plain MuJoCo C, walked by the controller that drives robots."""
