"""A copy-on-write document store: a shared base that never changes, and cheap forks that hold only what was touched."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from domains.errors import DataError
from domains.values import ABSENT, JSON, Path, Record, apply, copied, differences, same, text_of

if TYPE_CHECKING:
    from pydantic import BaseModel

Kind: TypeAlias = Literal["mapping", "list", "single"]
Overlay: TypeAlias = "dict[str, dict[str, Any]]"
"""table → key → record, or ABSENT where a record was deleted. Immutable once its call has ended."""

SINGLE: str = ""
"""The key of the one record of a singleton table."""

MEMORY: str = "\0memory"
"""The overlay's entry for what is remembered; no table can have this name."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference in a database; an added or removed record is one change with an empty path."""

    database: str
    table: str
    key: str
    path: Path
    before: JSON
    after: JSON

    @property
    def fields(self) -> int:
        """How many leaf fields the change covers: a booked reservation is one change of many fields."""
        return max(_leaves(self.before), _leaves(self.after))


def _leaves(value: JSON) -> int:
    if isinstance(value, dict):
        return sum(map(_leaves, value.values()))
    if isinstance(value, list):
        return sum(map(_leaves, value))
    return 0 if value is ABSENT else 1


@dataclass(frozen=True, slots=True)
class Table:
    """How one table is stored: by key (mapping), as a list with an id field, or as one record."""

    name: str
    kind: Kind
    model: type[BaseModel]
    id_field: str = ""


@dataclass(slots=True)
class Base:
    """The database as loaded, shared by every fork of it; nobody may change it."""

    name: str
    shape: tuple[Table, ...]
    tables: dict[str, dict[str, Record]]
    _texts: dict[str, dict[str, str]] = field(default_factory=dict)
    _bodies: dict[str, str] = field(default_factory=dict)
    _digest: str = ""

    def text(self, table: Table, key: str) -> str:
        """Return the JSON text of a base record, under its key where the file has keys; made once."""
        texts = self._texts.setdefault(table.name, {})
        text = texts.get(key)
        if text is None:
            text = texts[key] = _text(table, key, self.tables[table.name][key])
        return text

    def body(self, table: Table) -> str:
        """Return the JSON text of a whole base table, made once."""
        body = self._bodies.get(table.name)
        if body is None:
            body = self._bodies[table.name] = Database(self).body(table)
        return body

    def digest(self) -> str:
        """Return the digest of the untouched state, made once."""
        if not self._digest:
            self._digest = Database(self).digest()
        return self._digest

    def table(self, name: str) -> Table:
        """Return how a table is stored; raises KeyError when there is none of that name."""
        for table in self.shape:
            if table.name == name:
                return table
        raise KeyError(name)


class Rows(Mapping[str, Record]):
    """One table as it stands now: the base with the fork's records over it. Read only."""

    __slots__ = ("_base", "_over")

    def __init__(self, base: dict[str, Record], over: dict[str, Any] | None) -> None:
        self._base = base
        self._over = over

    def __getitem__(self, key: str) -> Record:
        if self._over is not None and key in self._over:
            found = self._over[key]
            if found is ABSENT:
                raise KeyError(key)
            return cast("Record", found)
        return self._base[key]

    def __contains__(self, key: object) -> bool:
        if self._over is not None and key in self._over:
            return self._over[key] is not ABSENT
        return key in self._base

    def __iter__(self) -> Iterator[str]:
        over = self._over
        if not over:
            yield from self._base
            return
        for key in self._base:
            if over.get(key) is not ABSENT:
                yield key
        for key, value in over.items():
            if value is not ABSENT and key not in self._base:
                yield key

    def __len__(self) -> int:
        if not self._over:
            return len(self._base)
        added = sum(v is not ABSENT and k not in self._base for k, v in self._over.items())
        gone = sum(v is ABSENT and k in self._base for k, v in self._over.items())
        return len(self._base) + added - gone


class Database:
    """A fork of a base. Read freely through `rows`; write only through `edit`, `insert`, `delete` and `merge`.

    Between two `begin` calls the first write copies the overlay (what was touched, never what exists), so an
    overlay taken by `checkpoint` stays intact and `restore` is an assignment.
    """

    __slots__ = ("_before", "_fresh", "_over", "base")

    def __init__(self, base: Base, overlay: Overlay | None = None) -> None:
        self.base = base
        self._over: Overlay = overlay if overlay is not None else {}
        self._before: Overlay = self._over
        self._fresh: set[tuple[str, str]] = set()

    def fork(self) -> Database:
        """Return an independent database in the same state, in constant time."""
        self.begin()
        return Database(self.base, self._over)

    def rows(self, table: str) -> Rows:
        """Return a live read-only view of a table; take a new one after a write."""
        return Rows(self.base.tables[table], self._over.get(table))

    def get(self, table: str, key: str = SINGLE) -> Record | None:
        """Return one record, or None. The record must not be changed."""
        over = self._over.get(table)
        if over is not None and key in over:
            found = over[key]
            return None if found is ABSENT else cast("Record", found)
        return self.base.tables[table].get(key)

    # Writing

    def begin(self) -> None:
        """Start a call: what was written before can no longer be changed by what is written from here on."""
        self._before = self._over
        self._fresh = set()

    def edit(self, table: str, key: str = SINGLE) -> Record:
        """Return the record for writing, copied the first time the current call touches it. Raises KeyError."""
        if (table, key) in self._fresh:
            found: Record = self._over[table][key]
            return found
        current = self.get(table, key)
        if current is None:
            raise KeyError(key)
        mine: Record = copied(current)
        self._own(table)[key] = mine
        self._fresh.add((table, key))
        return mine

    def insert(self, table: str, key: str, value: Record) -> Record:
        """Put a new record, or a whole new version of one; the caller hands it over."""
        self._own(table)[key] = value
        self._fresh.add((table, key))
        return value

    def delete(self, table: str, key: str) -> None:
        """Remove a record. Raises KeyError when there is none."""
        if self.get(table, key) is None:
            raise KeyError(key)
        self._own(table)[key] = ABSENT
        self._fresh.discard((table, key))

    def _own(self, table: str) -> dict[str, Any]:
        if self._over is self._before:
            self._over = {name: dict(rows) for name, rows in self._before.items()}
        return self._over.setdefault(table, {})

    def remember(self, name: str) -> None:
        """Keep a fact beside the data: it follows forks and undo, and is no part of state, changes or digest."""
        self._own(MEMORY)[name] = True

    def remembers(self, name: str) -> bool:
        """Tell whether a fact was kept."""
        return name in self._over.get(MEMORY, ())

    def merge(self, data: Mapping[str, JSON]) -> None:
        """Merge initialisation data deeply into the state, lists replaced, and validate what it touches.

        Raises DataError for a table that does not exist and for records the schema refuses.
        """
        from pydantic import ValidationError

        from domains.schema import record

        self.begin()
        for name, value in data.items():
            try:
                table = self.base.table(name)
            except KeyError:
                raise DataError(f"initialization_data: {self.base.name} has no table {name!r}") from None
            items: Mapping[str, JSON]
            match table.kind:
                case "mapping":
                    items = value
                case "list":
                    items = {str(item[table.id_field]): item for item in value}
                    for gone in [key for key in self.rows(name) if key not in items]:
                        self.delete(name, gone)
                case "single":
                    items = {SINGLE: value}
            for key, item in items.items():
                old = self.get(name, key) if table.kind != "list" else None
                merged = _merged(old, item)
                try:
                    self.insert(name, key, record(table.model.model_validate(merged)))
                except ValidationError as error:
                    first = error.errors()[0]
                    place = ".".join(map(str, (name, key, *first["loc"])))
                    raise DataError(f"initialization_data: {place}: {first['msg']}") from None

    # Looking back

    def checkpoint(self) -> Overlay:
        """Return a token of the present state, in constant time."""
        self.begin()
        return self._over

    def restore(self, token: Overlay) -> None:
        """Go back (or forward) to a state of this base, in constant time."""
        self._over = token
        self.begin()

    def changes(self, since: Overlay | None = None) -> tuple[Change, ...]:
        """Return what differs from an earlier state, by default from the last `begin`."""
        old = self._before if since is None else since
        return compare(self.base, old, self._over)

    def equals(self, other: Database) -> bool:
        """Tell whether two forks of one base are in the same state, looking only at what either touched."""
        assert self.base is other.base
        return not any(True for _ in _differing(self.base, self._over, other._over))

    # The whole

    def dump(self) -> dict[str, JSON]:
        """Return a copy of the whole state in the layout of the file."""
        return {t.name: _laid_out(t, {k: copied(v) for k, v in self.rows(t.name).items()}) for t in self.base.shape}

    def digest(self) -> str:
        """Return sha256 of `json.dumps(state, sort_keys=True, default=str)`, as the official code computes it."""
        if not self._over and self.base._digest:
            return self.base._digest
        tables = sorted(self.base.shape, key=lambda t: t.name)
        parts = [f'"{t.name}": {self.body(t) if self._over.get(t.name) else self.base.body(t)}' for t in tables]
        return hashlib.sha256(("{" + ", ".join(parts) + "}").encode()).hexdigest()

    def body(self, table: Table) -> str:
        """Return the JSON text of a table as it stands; the records nobody touched are not written again."""
        over, base = self._over.get(table.name, {}), self.base
        rows = self.rows(table.name)
        keys = list(rows) if table.kind == "list" else sorted(rows)
        texts = [_text(table, k, over[k]) if k in over else base.text(table, k) for k in keys]
        match table.kind:
            case "mapping":
                return "{" + ", ".join(texts) + "}"
            case "list":
                return "[" + ", ".join(texts) + "]"
            case "single":
                return texts[0]


def _text(table: Table, key: str, record: JSON) -> str:
    text = text_of(record)
    return f"{text_of(key)}: {text}" if table.kind == "mapping" else text


def _laid_out(table: Table, rows: dict[str, JSON]) -> JSON:
    match table.kind:
        case "mapping":
            return rows
        case "list":
            return list(rows.values())
        case "single":
            return rows[SINGLE]


def _merged(old: JSON, new: JSON) -> JSON:
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{k: _merged(old.get(k), v) for k, v in new.items()}}
    return new


def _differing(base: Base, old: Overlay, new: Overlay) -> Iterator[tuple[str, str, JSON, JSON]]:
    if old is new:
        return
    nothing: dict[str, Any] = {}
    for table in base.shape:
        before, after = old.get(table.name, nothing), new.get(table.name, nothing)
        if before is after:
            continue
        rows = base.tables[table.name]
        for key in dict.fromkeys((*before, *after)):
            a = before[key] if key in before else rows.get(key, ABSENT)
            b = after[key] if key in after else rows.get(key, ABSENT)
            if not same(a, b):
                yield table.name, key, a, b


def compare(base: Base, old: Overlay, new: Overlay) -> tuple[Change, ...]:
    """Return the differences between two states of one base, field by field."""
    return tuple(
        Change(base.name, table, key, path, before, after)
        for table, key, a, b in _differing(base, old, new)
        for path, before, after in differences(a, b)
    )


def apply_changes(database: Database, changes: tuple[Change, ...]) -> None:
    """Replay changes on a database in the state they started from; the counterpart of `compare`."""
    database.begin()
    for change in changes:
        if change.path:
            apply(database.edit(change.table, change.key), change.path, change.after)
        elif change.after is ABSENT:
            database.delete(change.table, change.key)
        else:
            database.insert(change.table, change.key, copied(change.after))
