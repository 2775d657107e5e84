"""A local server that serves one file in good and bad ways, and a dataset with files from there."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from philia.datasets import CatalogEntry, DataFile

LINKS = b"source,target\nann,bob\nbob,cat\ncat,ann\ndan,eve\n"
LABELS = b"node,label\nann,red\nbob,red\ndan,blue\n"
BAD_WAYS = ["missing", "wrong", "longer", "cut", "stalled", "silent"]


@dataclass
class FileServer:
    """Hands out /good, and in ``BAD_WAYS`` what they say; ``asked`` counts requests, ``half_way`` tells of a stall."""

    address: str = ""
    asked: list[str] = field(default_factory=list)
    half_way: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    def file(self, way: str = "good", content: bytes = LINKS, name: str = "links.csv") -> DataFile:
        """The file with its right checksum, at an address where it is handed out in some way."""
        return DataFile(
            f"tiny/{name}", len(content), hashlib.sha256(content).hexdigest(), f"{self.address}/{way}/{name}"
        )

    def entry(self, way: str = "good") -> CatalogEntry:
        """A dataset of five people."""
        links, labels = self.file(way), self.file(way, LABELS, "labels.csv")
        return CatalogEntry("Five people", "Made up.", "Nobody.", "Nowhere.", "None.", 5, 4, 2, links, labels)


@contextmanager
def serving() -> Iterator[FileServer]:
    """The server, for as long as it is needed and on this machine only."""
    files = FileServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _, way, name = self.path.split("/")
            files.asked.append(name)
            _answer(self, way, LABELS if name == "labels.csv" else LINKS, files)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        files.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield files
        finally:
            files.over.set()
            server.shutdown()
            thread.join(timeout=10)


def _answer(handler: BaseHTTPRequestHandler, way: str, content: bytes, files: FileServer) -> None:
    if way == "missing":
        handler.send_error(404)
        return
    if way == "silent":
        files.over.wait(timeout=20)
        return
    sent = {"wrong": content[::-1], "longer": content + b"more"}.get(way, content)
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(sent)))
    handler.end_headers()
    if way in ("cut", "stalled"):
        sent = sent[: len(sent) // 2]
    handler.wfile.write(sent)
    handler.wfile.flush()
    if way == "stalled":
        files.half_way.set()
        files.over.wait(timeout=20)
