"""The subcommands that need no screen: one module each, with a `run` that returns the exit code."""
