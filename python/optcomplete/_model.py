"""A fitted model: a folder of a session, or its files as bytes on the way from one process to another."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from ._errors import OptCompleteError
from ._progress import Shown
from ._session import Answer, Session

_names = iter(range(1, 1 << 62))


def new_folder(session: Session) -> str:
    """A name for a model in a session's folder."""
    return os.path.join(session.folder, f"model-{next(_names)}")


class Model:
    """Asks questions of a model. It may be pickled, copied, and used by threads and forked processes."""

    def __init__(self, session: Session | None, folder: str, files: dict[str, bytes] | None = None) -> None:
        self._session, self._folder, self._files = session, folder, files
        self._lock = threading.RLock()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """A model that was saved."""
        folder = Path(path)
        if not (folder / "model.json").is_file():
            raise OptCompleteError("is not a saved model: it has no model.json", "name the folder that save or fit -o wrote", file=str(path))
        return cls(None, "", {f.name: f.read_bytes() for f in folder.iterdir() if f.is_file()})

    def files(self) -> dict[str, bytes]:
        """The files of the saved model."""
        if self._files is None:
            try:
                self._files = {f.name: f.read_bytes() for f in Path(self._folder).iterdir() if f.is_file()}
            except OSError as e:
                raise OptCompleteError(f"the model is gone: {e}", "fit again") from e
        return self._files

    def session(self) -> Session:
        """A running session that has the model in its folder."""
        with self._lock:
            if self._session is None or not self._session.alive:
                files = self.files()
                self._session = Session()
                self._folder = new_folder(self._session)
                os.mkdir(self._folder)
                for name, content in files.items():
                    Path(self._folder, name).write_bytes(content)
            return self._session

    @property
    def folder(self) -> str:
        """Where the model is, as long as the session lives."""
        self.session()
        return self._folder

    def ask(
        self,
        verb: str,
        arguments: Sequence[str] = (),
        options: Mapping[str, Any] | None = None,
        tables: Mapping[str, pa.Table] | None = None,
        results: Sequence[str] = (),
        progress: Any = False,
        warn: bool = True,
    ) -> Answer:
        """Run a verb that takes a model first."""
        session = self.session()
        with Shown(progress, warn=warn) as shown:
            return session.ask(verb, [self._folder, *arguments], options, tables, results, shown)

    def __getstate__(self) -> dict[str, Any]:
        return {"files": dict(self.files())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(None, "", state["files"])  # type: ignore[misc]
