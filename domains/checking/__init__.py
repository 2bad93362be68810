"""The lints behind `domains.check`: one file for each family. None of them writes anything."""
