"""What opens over a screen and closes with Escape."""
