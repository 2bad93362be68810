"""What is computed from recorded sessions; every number names its estimator, its n and its exclusions."""
