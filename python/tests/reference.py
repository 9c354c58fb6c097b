"""Writes docs/python-api.md from the docstrings: python python/tests/reference.py"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import optcomplete as oc


def section(lines: list[str], title: str) -> list[str]:
    """The lines of a numpy-style section."""
    for i, line in enumerate(lines):
        if line == title and i + 1 < len(lines) and set(lines[i + 1]) == {"-"}:
            end = next((j for j in range(i + 2, len(lines) - 1) if lines[j + 1] and set(lines[j + 1]) == {"-"}), len(lines))
            return lines[i + 2 : end]
    return []


def summary(lines: list[str]) -> str:
    end = next((i for i in range(len(lines) - 1) if lines[i + 1] and set(lines[i + 1]) == {"-"}), len(lines))
    return "\n".join(lines[:end]).strip()


def table(lines: list[str]) -> str:
    """Parameters or attributes as a list."""
    out: list[str] = []
    for line in lines:
        if line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            out.append(f"- `{name}`" + (f" ({kind})" if kind else ""))
        elif line.strip() and out:
            out[-1] += (": " if out[-1].endswith(("`", ")")) and ": " not in out[-1] else " ") + line.strip()
    return "\n".join(out).replace("|", "\\|")


def entry(name: str, thing: Any, level: str) -> str:
    if isinstance(thing, property):
        thing, signature = thing.fget, ""
    elif inspect.isclass(thing):
        signature = ""
    else:
        try:
            signature = re.sub(r" -> .*$", "", str(inspect.signature(thing)))
        except (TypeError, ValueError):
            signature = "()"
        signature = re.sub(r"\bself,? ?", "", signature).replace("(cls, ", "(").replace("oc.", "")
        signature = re.sub(r": (?:'[^']*'|[^,)=]+)(?= =|,|\))", "", signature).replace(" = ", "=")
        if len(signature) > 120:
            signature = "(…)"
    lines = (inspect.getdoc(thing) or "").splitlines()
    parts = [f"{level} `{name}{signature}`", summary(lines)]
    for title in ("Parameters", "Attributes", "Returns"):
        found = section(lines, title)
        verb = {"oc.MatrixCompleter": "fit", "oc.BestSubset": "regress", "oc.path": "path"}.get(name)
        if verb and title == "Parameters":
            # settings.md lists them: this page need not change whenever one does.
            parts += [f"**{title}**", f"The [settings](settings.md) of `optcomplete {verb}` by their names, with `_` for `-`, and `progress`; `help(oc.{name[3:]})`\nlists them with their defaults."]
        elif found:
            parts += [f"**{title}**", table(found) if title != "Returns" else " ".join(x.strip() for x in found)]
    return "\n\n".join(p for p in parts if p)


def reference() -> str:
    out = ["# The Python package", "What `import optcomplete as oc` offers; made from the docstrings by `python/tests/reference.py`. The [tutorial](python.md)\nshows how it is used."]
    for name in oc.__all__:
        thing = getattr(oc, name)
        out.append(entry(f"oc.{name}", thing, "##"))
        if inspect.isclass(thing) and not issubclass(thing, BaseException):
            for method, f in vars(thing).items():
                public = not method.startswith("_") and (callable(f) or isinstance(f, (property, classmethod)))
                if public and inspect.getdoc(getattr(thing, method)):
                    out.append(entry(f"{name}.{method}", f.__func__ if isinstance(f, classmethod) else f, "###"))
    return "\n\n".join(out) + "\n"


if __name__ == "__main__":
    page = Path(__file__).resolve().parents[2] / "docs" / "python-api.md"
    page.write_text(reference(), encoding="utf-8")
