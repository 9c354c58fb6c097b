"""Shows events: with tqdm or rich if they are there, as plain text else, and not at all where nobody looks."""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

from ._errors import OptCompleteError, OptCompleteWarning, in_python
from ._settings import Progress

Event = dict[str, Any]


def in_notebook() -> bool:
    """Whether this runs in a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def _terminal() -> bool:
    """Whether somebody reads standard error; a program without a console has none."""
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # it is closed
        return False


class Shown:
    """A receiver of events for the time of one verb; also gathers what is kept of them."""

    def __init__(self, progress: Progress, *, warn: bool = True) -> None:
        self.events: list[Event] = []  # of the search, for plot_gap
        self._warn = warn
        self._call: Callable[[Event], None] | None = None
        self._line: _Line | None = None
        self._log = isinstance(progress, str) and progress == "log"
        if callable(progress):
            self._call = progress
        elif progress is not None and not isinstance(progress, bool) and not self._log:
            raise OptCompleteError(f"progress is {progress!r}", 'use True, False, None, "log" or a function of one event')
        elif progress is True or progress is None and (in_notebook() or _terminal()):
            self._line = _line()

    def __enter__(self) -> Shown:
        return self

    def __exit__(self, *_: Any) -> None:
        if self._line is not None:
            self._line.close()

    def __call__(self, event: Event) -> None:
        kind = event["event"]
        if kind == "search":
            self.events.append(event)
        if self._call is not None:
            self._call(event)
        if kind == "warning" and self._warn:
            _warn(in_python(event.get("text", "")))
        if self._log and kind in ("log", "warning"):
            print(("warning: " if kind == "warning" else "") + event.get("text", ""), file=sys.stderr)
        if self._line is not None:
            text = _text(event)
            if text:
                self._line.show(text)


def _warn(text: str) -> None:
    """Warn at the line that called the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(__package__ or "optcomplete"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, OptCompleteWarning, stacklevel=level)


def _text(event: Event) -> str:
    kind = event["event"]
    if kind == "search":
        if event.get("cost") is None:
            return f"k={event.get('k')}: searching"
        text = f"k={event.get('k')}: cost {event['cost']:.6g}"
        gap = event.get("gap")
        if gap is not None and gap <= 1:
            sampled = event.get("sampled")
            shown = math.ceil(gap * 1e4) / 1e2  # rounded up, so that it is true
            text += f", {'sampled ' if sampled else ''}gap {shown:g} %"
        return text + f", {event.get('nodes', 0)} nodes"
    if kind == "gamma":
        return f"gamma {event['gamma']:.3g}: validation RMSE {event.get('rmse', 0):.5g}"
    if kind == "task":
        done, total = event.get("done", 0), event.get("total", 0)
        return f"{event['label']}: {100 * done // total} %" if total else f"{event['label']}: {done:,} {event.get('unit', '')}"
    return ""


class _Line:
    """One line that changes."""

    def __init__(self) -> None:
        self._last, self._width = 0.0, 0

    def show(self, text: str) -> None:
        if time.monotonic() - self._last < 0.2:
            return
        self._last = time.monotonic()
        self.draw(text)

    def draw(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def close(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


class _Tqdm(_Line):
    def __init__(self, tqdm: Any) -> None:
        super().__init__()
        self._bar = tqdm(total=0, bar_format="{desc} [{elapsed}]", leave=False)

    def draw(self, text: str) -> None:
        self._bar.set_description_str(text)

    def close(self) -> None:
        self._bar.close()


class _Rich(_Line):
    def __init__(self, console: Any) -> None:
        super().__init__()
        self._status = console.status("")
        self._status.start()

    def draw(self, text: str) -> None:
        self._status.update(text)

    def close(self) -> None:
        self._status.stop()


def _line() -> _Line:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of tqdm, about widgets that are not there
            from tqdm.auto import tqdm

        return _Tqdm(tqdm)
    except ImportError:
        pass
    try:
        from rich.console import Console

        return _Rich(Console(stderr=True))
    except ImportError:
        return _Line()
