"""A real HTTP server on loopback that can cut a download off, change its file, or refuse."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Served:
    """What the server gives, and what it was asked."""

    content: bytes
    etag: str = '"one"'
    cuts: list[int] = field(default_factory=list)
    """After how many bytes each of the next answers breaks off."""
    ranges: bool = True
    status: int = 200
    location: str = ""
    asked: list[str] = field(default_factory=list)
    """The Range header of each request, empty without one."""
    url: str = ""


@contextmanager
def serving(served: Served) -> Iterator[Served]:
    """Serve until the block is left."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            served.asked.append(wanted)
            if served.location:
                self.send_response(302)
                self.send_header("Location", served.location)
                self.end_headers()
                return
            if served.status != 200:
                self.send_error(served.status)
                return
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and served.ranges else 0
            if start >= len(served.content):
                self.send_error(416)
                return
            body = served.content[start:]
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(served.content) - 1}/{len(served.content)}")
            if served.etag:
                self.send_header("ETag", served.etag)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: served.cuts.pop(0)] if served.cuts else body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}/tau2.tar.gz"
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
