"""A robot that is not there: MuJoCo C behind the controller's link, in lock-step or over the wire."""
