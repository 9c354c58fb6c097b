"""A running `optcomplete serve`, and the protocol that it speaks (docs/protocol.md)."""

from __future__ import annotations

import itertools
import json
import math
import os
import queue
import shutil
import subprocess
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import IO, Any

import pyarrow as pa

from ._binary import binary
from ._errors import OptCompleteError, error_of

PROTOCOL = 1
_patience = 5.0  # seconds for a process to end by itself

Event = dict[str, Any]

_is_it = "check that it is the optcomplete program, of this platform; OPTCOMPLETE_BINARY names another"


@dataclass
class Answer:
    """What a verb answered."""

    exit: int
    json: Any = None
    text: str = ""
    results: dict[str, bytes] = field(default_factory=dict)


_sessions: weakref.WeakSet[Session] = weakref.WeakSet()


class Session:
    """A process that runs verbs, one at a time, for any number of threads.

    It ends when the session is closed or forgotten, when Python ends, and when Python is killed:
    its standard input ends then.
    """

    def __init__(self) -> None:
        options: dict[str, Any] = {}
        if sys.platform == "win32":
            options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        else:
            options["start_new_session"] = True  # Ctrl-C is for Python, which asks for the best answer so far
        program = binary()
        try:
            self.process = subprocess.Popen(
                [program, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
            )
        except OSError as e:
            raise OptCompleteError(f"{program} cannot be started: {e.strerror or e}", _is_it) from e
        assert self.process.stdin and self.process.stdout and self.process.stderr
        _widen(self.process.stdin)
        self.pid = os.getpid()
        self._lock = threading.RLock()
        self._ids = itertools.count(1)
        self._lines: queue.SimpleQueue[tuple[dict[str, Any], dict[str, bytes]] | None] = queue.SimpleQueue()
        self._said: deque[bytes] = deque(maxlen=50)
        work: list[tuple[Any, tuple[Any, ...]]] = [(_read, (self.process.stdout, self._lines)), (_listen, (self.process.stderr, self._said))]
        readers = [threading.Thread(target=target, args=args, daemon=True) for target, args in work]
        for reader in readers:
            reader.start()
        self._listener = readers[1]
        self.folder = ""
        self._finalizer = weakref.finalize(self, _end, self.process, self.pid, where := [""], readers)
        try:
            hello = self._next()[0]
        except OptCompleteError as e:
            self.close()
            remedy = "" if e.problem.endswith(")") else _is_it  # the program says what to do, if it is the program
            raise OptCompleteError(e.problem, remedy, file=program) from None
        except BaseException:
            self._kill()
            raise
        if hello.get("protocol") != PROTOCOL:
            self.close()
            raise OptCompleteError(
                f"{program} speaks protocol {hello.get('protocol')}, this package {PROTOCOL}",
                "install the program and the package of the same version",
            )
        self.folder = where[0] = hello["folder"]
        _sessions.add(self)

    @property
    def alive(self) -> bool:
        """Whether this process can ask it: a forked one cannot."""
        return self.pid == os.getpid() and self.process.poll() is None and self._finalizer.alive

    def close(self) -> None:
        """End the process and remove its folder."""
        self._finalizer()

    def ask(
        self,
        verb: str,
        arguments: Sequence[str] = (),
        options: Mapping[str, Any] | None = None,
        tables: Mapping[str, pa.Table] | None = None,
        results: Sequence[str] = (),
        on_event: Callable[[Event], None] | None = None,
    ) -> Answer:
        """Run a verb. KeyboardInterrupt asks it for the best answer so far; a second one ends it."""
        tables = tables or {}
        with self._lock:
            number = next(self._ids)
            request = {
                "id": number,
                "verb": verb,
                "arguments": list(arguments),
                "options": {name.replace("_", "-"): plain(value) for name, value in (options or {}).items()},
                "tables": [{"name": name, "bytes": _size(table)} for name, table in tables.items()],
                "results": list(results),
            }
            try:
                self._send(request, tables)
            except BaseException as e:  # half a request is none
                self._kill()
                if isinstance(e, OSError):
                    raise self._gone() from e
                raise
            answer, contents = self._wait(number, on_event)
        if "error" in answer:
            if answer["exit"] == 130:
                raise KeyboardInterrupt
            raise error_of(answer["error"], tables)
        return Answer(answer["exit"], answer.get("json"), answer.get("text", ""), contents)

    def _send(self, request: dict[str, Any], tables: Mapping[str, pa.Table]) -> None:
        pipe = self.process.stdin
        assert pipe
        pipe.write(json.dumps(request).encode() + b"\n")
        for table in tables.values():
            sink = pa.PythonFile(pipe, mode="w")
            with pa.ipc.new_stream(sink, table.schema) as writer:
                writer.write_table(table)
        pipe.flush()

    def _wait(self, number: int, on_event: Callable[[Event], None] | None) -> tuple[dict[str, Any], dict[str, bytes]]:
        cancelled = False
        while True:
            try:
                line, contents = self._next()
                if line.get("id") != number:
                    continue
                if line.get("answer"):
                    return line, contents
                if on_event is not None:
                    on_event(line)
            except KeyboardInterrupt:
                if cancelled:
                    self._kill()
                    raise
                cancelled = True
                assert self.process.stdin
                self.process.stdin.write(json.dumps({"cancel": number}).encode() + b"\n")
                self.process.stdin.flush()
            except OptCompleteError:
                raise
            except BaseException:
                self._kill()  # an event's receiver failed: nobody waits for the answer
                raise

    def _next(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        while True:
            try:
                # Short waits: on Windows Ctrl-C does not end a long one.
                line = self._lines.get(timeout=0.5)
            except queue.Empty:
                continue
            if line is None:
                self._lines.put(None)
                raise self._gone()
            return line

    def _gone(self) -> OptCompleteError:
        try:
            code: int | None = self.process.wait(_patience)
        except subprocess.TimeoutExpired:
            code = None
        self._listener.join(_patience)  # what it said last may not have been read yet
        said = b"".join(self._said).decode(errors="replace").strip()
        remedy = "it may have had too little memory" if code in (-9, 137) else ""
        return OptCompleteError(f"the optcomplete process ended with exit code {code}" + (f": {said}" if said else ""), remedy)

    def _kill(self) -> None:
        if self.pid == os.getpid():
            self.process.kill()
            self.close()


def _widen(pipe: IO[bytes]) -> None:
    """Let a pipe hold a megabyte, where the system can: tables cross faster."""
    try:
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 1 << 20)  # type: ignore[attr-defined]
    except (ImportError, AttributeError, OSError):
        pass


def _size(table: pa.Table) -> int:
    sink = pa.MockOutputStream()  # counts, and writes nothing
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return int(sink.size())


def _read(pipe: IO[bytes], lines: queue.SimpleQueue[Any]) -> None:
    """Take answers off the pipe. A thread of its own: what it has read, an interrupt cannot lose."""
    try:
        for text in pipe:
            line = json.loads(text)
            lines.put((line, {r["name"]: pipe.read(r["bytes"]) for r in line.get("results", ())}))
    except (OSError, ValueError):
        pass  # the pipe was closed
    lines.put(None)


def _listen(pipe: IO[bytes], said: deque[bytes]) -> None:
    try:
        for text in pipe:
            said.append(text)
    except (OSError, ValueError):
        pass


def _end(process: subprocess.Popen[bytes], pid: int, folder: list[str], readers: list[threading.Thread]) -> None:
    """End a session's process. In a forked one the process is the parent's, and only lets go of."""
    if pid != os.getpid():
        return
    try:
        assert process.stdin
        process.stdin.close()
    except (OSError, ValueError):
        pass
    try:
        process.wait(_patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for reader, pipe in zip(readers, (process.stdout, process.stderr)):
        # The reader sees the end of its pipe now. It may be the one that ends the session.
        if pipe is not None and reader is not threading.current_thread():
            reader.join(_patience)
            if not reader.is_alive():
                pipe.close()
    if folder[0]:
        shutil.rmtree(folder[0], ignore_errors=True)  # is gone already, unless the process was killed


def _forget() -> None:
    """In a forked process: let go of the parent's pipes, so that they end when the parent does."""
    for session in list(_sessions):
        for pipe in (session.process.stdin, session.process.stdout, session.process.stderr):
            try:
                pipe.raw.close()  # type: ignore[union-attr]
            except (OSError, ValueError, AttributeError):
                pass


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def plain(value: Any) -> Any:
    """A setting's value as JSON has it."""
    if isinstance(value, timedelta):
        return f"{value.total_seconds()!r}s"
    if isinstance(value, os.PathLike):
        return os.path.abspath(value)
    if hasattr(value, "tolist"):
        value = value.tolist()  # numbers, texts and arrays of numpy, series of pandas
    elif hasattr(value, "to_list"):
        value = value.to_list()
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no number for it; the program says what it must be
    return value
