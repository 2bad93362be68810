"""Downloads one file: goes on where a broken download ended, and never leaves encrypted transport."""

from __future__ import annotations

import hashlib
import http.client
import urllib.error
import urllib.parse
import urllib.request
from email.message import Message
from pathlib import Path
from typing import IO, Final

from domains.installing.archive import Progress, quiet

TIMEOUT: Final = 30.0
TRIES: Final = 5
"""Times in a row that a download which was cut off is taken up, as long as each brings something."""
MOST: Final = 4 << 30
PIECE: Final = 1 << 16


class FetchFailed(OSError):
    """A file could not be fetched: the address, and one line saying why and what to do."""

    def __init__(self, url: str, why: str) -> None:
        super().__init__(0, why, url)


class _SafelyOn(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        there = urllib.parse.urlsplit(newurl).scheme
        if there not in ("http", "https") or (req.type == "https" and there != "https"):
            fp.close()
            raise FetchFailed(req.full_url, f"leads to {there}:, which is not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def download(url: str, folder: Path, progress: Progress = quiet) -> Path:
    """Fetch a file into a folder and return where it is; what came of it stays if it breaks. Raises FetchFailed."""
    scheme = urllib.parse.urlsplit(url).scheme
    if scheme not in ("http", "https"):
        raise FetchFailed(url, f"{scheme}: is no address of a download; expected https:")
    folder.mkdir(parents=True, exist_ok=True)
    whole = folder / hashlib.sha256(url.encode()).hexdigest()[:16]
    part = whole.with_suffix(".part")
    for left in reversed(range(TRIES)):
        before = _size(part)
        if _go_on(url, part, progress):
            part.replace(whole)
            _mark(part).unlink(missing_ok=True)
            return whole
        got = _size(part)
        if got <= before or not left:
            on = " to go on from there" if _mark(part).is_file() else ""
            raise FetchFailed(url, f"cut off after {got} bytes; run it again{on}")
    raise AssertionError("unreachable")


def forget(url: str, folder: Path) -> None:
    """Delete what was fetched, whole or in part."""
    whole = folder / hashlib.sha256(url.encode()).hexdigest()[:16]
    for path in (whole, whole.with_suffix(".part"), _mark(whole.with_suffix(".part"))):
        path.unlink(missing_ok=True)


def _mark(part: Path) -> Path:
    """Return where the server's mark of the file is kept: the rest of another file is not its rest."""
    return part.with_suffix(".etag")


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _go_on(url: str, part: Path, progress: Progress) -> bool:
    """Fetch what is missing; False when it was cut off. Raises FetchFailed for what another try will not mend."""
    have = _size(part)
    mark = _mark(part).read_text("utf-8") if have and _mark(part).is_file() else ""
    request = urllib.request.Request(url, headers={"User-Agent": "tau-tui", "Accept-Encoding": "identity"})
    if mark:
        request.add_header("Range", f"bytes={have}-")
    opener = urllib.request.build_opener(_SafelyOn())
    try:
        with opener.open(request, timeout=TIMEOUT) as answer:
            if answer.status != 206:
                have = 0
            elif _starts_at(answer.headers) != have or _mark_of(answer.headers) != mark:
                part.unlink()  # the file on the server is another one by now
                return _go_on(url, part, progress)
            return _keep(url, answer, part, have, progress)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416 and have:  # it has become shorter
            part.unlink()
            return _go_on(url, part, progress)
        raise FetchFailed(url, f"the server answers {error.code} {error.reason}") from None
    except FetchFailed:
        raise
    except (OSError, http.client.HTTPException) as error:  # URLError is an OSError
        if _size(part) > have:
            return False
        why = error.reason if isinstance(error, urllib.error.URLError) else error
        text = getattr(why, "strerror", None) or str(why)
        line = f"cannot be reached ({text}); if you are offline, give a file you have with --from"
        raise FetchFailed(url, line) from None


def _keep(url: str, answer: http.client.HTTPResponse, part: Path, have: int, progress: Progress) -> bool:
    length = answer.headers.get("Content-Length", "")
    total = have + int(length) if length.isdigit() else 0
    if total > MOST:
        raise FetchFailed(url, f"has {total >> 20} MB; the official data has far less")
    with part.open("ab" if have else "wb") as file:
        if not have:
            _note(part, _mark_of(answer.headers))
        progress("fetching", have, total)
        while data := answer.read(PIECE):
            have += len(data)
            if have > MOST:
                raise FetchFailed(url, f"has more than {MOST >> 20} MB; the official data has far less")
            try:
                file.write(data)
            except OSError as error:
                raise FetchFailed(str(part), error.strerror or str(error)) from None
            progress("fetching", have, total)
    return have >= total


def _note(part: Path, mark: str) -> None:
    if mark:
        _mark(part).write_text(mark, "utf-8")
    else:
        _mark(part).unlink(missing_ok=True)


def _mark_of(headers: Message) -> str:
    return str(headers.get("ETag") or headers.get("Last-Modified") or "")


def _starts_at(headers: Message) -> int:
    unit, _, rest = headers.get("Content-Range", "").partition(" ")
    first = rest.partition("-")[0]
    return int(first) if unit == "bytes" and first.isdigit() else -1
