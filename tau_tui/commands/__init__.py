"""The commands: one module each, with a `run` that returns the exit code. What is called with what: `dispatch`."""
