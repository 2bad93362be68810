"""Whoever fills a seat. A human, a model and a script look the same to the orchestrator."""
