"""The oracle: an offline partner in the agent seat that knows the task's gold plan, and says so in its name."""

from sessions.players.oracle.agent import OracleAgent

__all__ = ["OracleAgent"]
