"""`tau-tui check`: what is wrong with the tasks of a pack, found offline."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from domains import DataError, load_domain
from domains.catalog import CODE, Domain, list_domains
from domains.check import LEVELS, RULES, Finding, Level, check
from domains.checking import pack
from domains.choices import numbered
from domains.task import Task
from tau_tui.widgets.safe_text import one_line, safe

SOUND, NOT_SOUND = 0, 1
COMMON = 5
"""What is found alike in more tasks than this is told once."""
NAMED = 300
"""Characters of task ids that are listed rather than counted."""
COUNTED: dict[Level, tuple[str, str]] = {
    "error": ("error", "errors"),
    "warning": ("warning", "warnings"),
    "info": ("remark", "remarks"),
}
COLOURS: dict[Level, str] = {"error": "bold red", "warning": "yellow", "info": "dim"}


@dataclass(frozen=True, slots=True)
class Checked:
    """One pack, or some of its tasks, with what was found."""

    domain: Domain
    number: int
    findings: Sequence[Finding]
    seconds: float


def run(
    names: Sequence[str],
    data: Path | None,
    *,
    tasks: Sequence[str] = (),
    level: Level | None = None,
    report: str | None = None,
    as_json: bool = False,
) -> int:
    """Check packs and print what is found: a table, one JSON object a line, or the text of an issue on one task.

    Without names every pack is checked once. `level` is the mildest that is printed: by default warnings for people
    and everything for programs. Returns 1 when there is an error, whatever is printed. Raises DataError.
    """
    domains = [load_domain(name, data) for name in names or _packs(data)]
    if report is not None:
        return _report(domains, report, data)
    shown = LEVELS[: LEVELS.index(level or ("info" if as_json else "warning")) + 1]
    wrong = False
    for domain in _having(domains, tasks) if tasks else domains:
        checked = _check(domain, tasks)
        wrong = wrong or any(finding.level == "error" for finding in checked.findings)
        findings = [finding for finding in checked.findings if finding.level in shown]
        if as_json:
            for finding in findings:
                line = json.dumps({"domain": domain.name, **finding.to_json()}, ensure_ascii=False)
                sys.stdout.write(f"{line}\n")
        else:
            _table(checked, findings, hidden=[one for one in LEVELS if one not in shown])
    return NOT_SOUND if wrong else SOUND


def _packs(data: Path | None) -> list[str]:
    """Return one domain for each pack; two may share one."""
    once: dict[str, str] = {}
    for name in list_domains(data):
        once.setdefault(CODE[name][1], name)
    return list(once.values())


def _check(domain: Domain, names: Sequence[str]) -> Checked:
    start = time.perf_counter()
    tasks, unreadable = pack.read(domain)
    if names:
        chosen = [task for name in names if (task := _named(tasks, name))]
        findings = [f for f in unreadable if f.task in names] + check(domain, chosen)
        return Checked(domain, len(names), findings, time.perf_counter() - start)
    findings = check(domain)
    return Checked(domain, len(tasks), findings, time.perf_counter() - start)


def _named(tasks: Sequence[Task], name: str) -> Task | None:
    """Return a task by id, or by `#N`, its number in the list."""
    return numbered(tasks, name) or next((task for task in tasks if task.id == name), None)


def _having(domains: Sequence[Domain], names: Sequence[str]) -> list[Domain]:
    """Return the one domain that has these tasks. Raises DataError."""
    having = []
    for domain in domains:
        tasks, unreadable = pack.read(domain)
        broken = {finding.task for finding in unreadable}
        missing = [name for name in names if name not in broken and _named(tasks, name) is None]
        if not missing:
            having.append(domain)
        elif len(domains) == 1:
            domain.task(missing[0])  # raises, and names the nearest
    if not having:
        raise DataError(f"no domain has task {', '.join(names)}; `tau-tui tasks` lists those there are")
    if len(having) > 1:
        held = ", ".join(domain.name for domain in having)
        raise DataError(f"{held} have task {', '.join(names)}; name the domain with --domain")
    return having


def _report(domains: Sequence[Domain], name: str, data: Path | None) -> int:
    from tau_tui.commands.check_report import issue

    (domain,) = _having(domains, [name])
    task = _named(pack.read(domain)[0], name)
    if task is None:
        raise DataError(f"{domain.name}: task {name} cannot be read; `tau-tui check --task {name}` says why")
    findings = check(domain, [task])
    sys.stdout.write(safe(issue(domain, task, findings, with_data=data is not None)))
    return NOT_SOUND if any(finding.level == "error" for finding in findings) else SOUND


# The table


def _table(checked: Checked, findings: Sequence[Finding], hidden: Sequence[Level]) -> None:
    from rich.text import Text

    from tau_tui.commands.printing import print_beside, print_line

    if findings:
        print_line(Text(f"{checked.domain.name} · {one_line(checked.domain.origin)}", style="bold"))
        for heading, found in _groups(findings):
            print_line(Text(one_line(heading)))
            for finding in found:
                said = Text(f"{finding.code} · {one_line(finding.where)}: ", style="bold")
                said.append(Text(one_line(finding.what), style="not bold"))
                print_beside(Text(f"{finding.level:>9}", style=COLOURS[finding.level]), said)
        print_line(Text("What it means", style="bold"))
        for code, number in Counter(finding.code for finding in findings).items():
            rule = RULES[code]
            print_line(Text(f"{code} ({number}): {rule.why} → {rule.do}"))
    print_line(Text(_summary(checked, hidden), style="bold"))


def _groups(findings: Sequence[Finding]) -> Iterator[tuple[str, list[Finding]]]:
    """Yield what is found by task; first, once, what is found alike in many tasks."""
    alike: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        alike.setdefault((finding.code, finding.where, finding.what), []).append(finding)
    by_task: dict[str, list[Finding]] = {}
    for found in alike.values():
        tasks = list(dict.fromkeys(finding.task for finding in found))
        if len(tasks) > COMMON:
            names = ", ".join(tasks)
            yield f"{len(tasks)} tasks: {names if len(names) <= NAMED else f'{tasks[0]} and others'}", found[:1]
    for finding in findings:
        if len({f.task for f in alike[finding.code, finding.where, finding.what]}) <= COMMON:
            by_task.setdefault(finding.task, []).append(finding)
    for task, found in by_task.items():
        yield f"task {task}", found


def _summary(checked: Checked, hidden: Sequence[Level]) -> str:
    counts = Counter(finding.level for finding in checked.findings)
    parts = [f"{checked.domain.name}: {checked.number} {'task' if checked.number == 1 else 'tasks'}"]
    for level in LEVELS:
        number = counts[level]
        said = f"{number} {COUNTED[level][number != 1]}"
        parts.append(f"{said} (--level {level} shows them)" if number and level in hidden else said)
    return f"{', '.join(parts)}; {checked.seconds:.1f} s"
