"""The seeded generator of the bundled retail pack: database and tasks."""
