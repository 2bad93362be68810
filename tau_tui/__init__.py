"""The command line and the Textual app: they show what sessions and domains compute."""
