"""The tables of a recording, step by step; docs/recording.md says what stands in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite_utils import Database, Migrations

SCHEMA = 3
"""The number of the newest migration."""

LISTED = (
    "started, id, updated, ended, domain, pack, task_id, split, user_kind, user_name, agent_kind, agent_name, view,"
    " solo, plan, no_policy, spoilers, seed, temperature, parent, parent_turn, origin, trial, reason, reward,"
    " recorded_reward, turns, exposures, process"
)
"""The columns of the index that lists of sessions are read from."""


def migrations() -> Migrations:
    """Return the schema, step by step; a step that has been released is never changed."""
    from sqlite_utils import Migrations

    steps = Migrations("tau_tui")

    @steps()
    def m001_first(db: Database) -> None:
        db.conn.execute(
            """create table sessions (
                id text primary key, domain text not null, pack text not null, task_id text not null, split text,
                user_kind text, user_name text, agent_kind text, agent_name text, view text not null,
                solo integer not null, plan integer not null, no_policy integer not null, spoilers integer not null,
                seed integer, temperature real, program text, task_digest text, parent text, parent_turn integer,
                started real not null, updated real not null, ended real, reason text, reward real,
                recorded_reward real, origin text, trial integer,
                turns integer not null, exposures text not null, process text, header text not null)"""
        )
        db.conn.execute(
            """create table events (
                session_id text not null references sessions(id) on delete cascade, seq integer not null,
                at real not null, type text not null, turn integer, seat text, version integer not null,
                data text not null, primary key (session_id, seq)) without rowid"""
        )
        db.conn.execute(
            """create table scores (
                session_id text not null references sessions(id) on delete cascade, seq integer not null,
                at real not null, reward real, verdict text not null, source text not null,
                primary key (session_id, seq))"""
        )
        db.conn.execute(
            """create table marks (
                session_id text not null references sessions(id) on delete cascade, seq integer not null,
                at real not null, turn integer not null, author text, type text, severity text, text text,
                policy_line text, by_player text, primary key (session_id, seq))"""
        )
        db.conn.execute("create table players (name text primary key, first_seen real not null)")
        db.conn.execute(
            "create table imports (digest text primary key, file text, at real, sessions integer, format text)"
        )
        db.conn.execute("create index sessions_by_task on sessions (domain, task_id)")
        db.conn.execute("create index sessions_by_time on sessions (started)")

    @steps()
    def m002_listed(db: Database) -> None:
        # Rows hold the whole header, which a list of 100,000 must not read: it is read from these indices alone.
        db.conn.execute(f"create index sessions_listed on sessions ({LISTED})")
        db.conn.execute("create index sessions_by_parent on sessions (parent) where parent is not null")
        db.conn.execute("create index sessions_open on sessions (updated) where ended is null")

    @steps()
    def m003_run(db: Database) -> None:
        db.conn.execute("alter table sessions add column run text")
        db.conn.execute("create index sessions_by_run on sessions (run) where run is not null")

    return steps
