"""Measurements against the bars of the design. Never part of the tests: a timed test is a coin toss."""
