"""The script user: an offline partner in the user seat, built from a task's scenario."""

from sessions.players.script.user import ScriptUser

__all__ = ["ScriptUser"]
