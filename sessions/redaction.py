"""Takes secrets out of what is kept: keys, tokens, passwords, wherever text enters the recording.

Where machinery speaks (headers, usage, failures, endings) fields that are named like a secret are emptied. Everywhere,
words of a conversation and notes included, what cannot be anything but a key is replaced.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from sessions.event import Ended, Event, Failure, Header, Message, Opened
from sessions.secret_text import REDACTED, SECRET_NAMES, without_secrets

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

E = TypeVar("E", bound=Event)
D = TypeVar("D", bound="DataclassInstance")


def redact(event: E) -> E:
    """Return the event without secrets: the same one when there are none."""
    return _parts(event, machinery=isinstance(event, Opened | Failure | Ended))


def _cleaned(value: Any, *, machinery: bool) -> Any:
    """Return a value without secrets, the very same object when nothing had to be taken out."""
    match value:
        case str():
            cleaned = without_secrets(value, machinery=machinery)
            return value if cleaned == value else cleaned
        case Mapping():
            pairs = {k: _field(k, v, machinery=machinery) for k, v in value.items()}
            return value if all(pairs[k] is v for k, v in value.items()) else pairs
        case list() | tuple():
            items = [_cleaned(item, machinery=machinery) for item in value]
            return value if all(a is b for a, b in zip(items, value, strict=True)) else type(value)(items)
        case _ if is_dataclass(value) and not isinstance(value, type):
            return _parts(value, machinery=machinery)
        case _:
            return value


def _parts(whole: D, *, machinery: bool) -> D:
    changed = {}
    for f in fields(whole):
        value = getattr(whole, f.name)
        # A task is content like a conversation: it must stay what its digest says.
        spoken = isinstance(whole, Header) and f.name == "task"
        used = isinstance(whole, Message) and f.name == "usage"
        cleaned = _cleaned(value, machinery=used or (machinery and not spoken))
        if cleaned is not value:
            changed[f.name] = cleaned
    return replace(whole, **changed) if changed else whole


def _field(name: Any, value: Any, *, machinery: bool) -> Any:
    held = isinstance(value, str | Mapping | list) and bool(value)
    if machinery and held and isinstance(name, str) and SECRET_NAMES.fullmatch(name.replace("-", "_")):
        return REDACTED
    return _cleaned(value, machinery=machinery)
