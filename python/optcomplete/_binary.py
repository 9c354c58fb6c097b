"""Where the program is."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from ._errors import OptCompleteError


def binary() -> str:
    """The optcomplete program: $OPTCOMPLETE_BINARY, that of the wheel, or one on the PATH."""
    name = "optcomplete.exe" if sys.platform == "win32" else "optcomplete"
    given = os.environ.get("OPTCOMPLETE_BINARY")
    if given:
        if not os.access(given, os.X_OK):
            raise OptCompleteError(f"OPTCOMPLETE_BINARY is {given}, which cannot be run", "name the optcomplete program")
        return given
    carried = Path(__file__).parent / "_bin" / name
    if carried.exists():
        return str(carried)
    found = shutil.which(name)
    if found:
        return found
    raise OptCompleteError(
        "the optcomplete program is not there",
        "install a wheel for this platform, or build it with Go and name it in OPTCOMPLETE_BINARY",
    )
