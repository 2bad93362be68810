"""The seeded generator of the bundled airline pack: database and tasks."""
