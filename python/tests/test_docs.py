"""The tutorial, the notebook and the reference."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

docs = next((p / "docs" for p in Path(__file__).resolve().parents if (p / "docs" / "python.md").exists()), Path())


@pytest.mark.filterwarnings("ignore::optcomplete.OptCompleteWarning")
def test_tutorial(tmp_path, monkeypatch):
    for module in ("pandas", "sklearn"):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    text = (docs / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```$", text, re.M | re.S)
    assert len(blocks) >= 8
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    names: dict[str, object] = {}
    for i, block in enumerate(blocks):
        test = doctest.DocTestParser().get_doctest(block, names, f"python.md, block {i + 1}", None, 0)
        runner.run(test, clear_globs=False)
        names = test.globs
    assert runner.failures == 0 if hasattr(runner, "failures") else runner.summarize().failed == 0


def test_notebook(tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(docs / "optcomplete.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    assert any("proven optimal" in o.get("data", {}).get("text/html", "") for o in shown)
    assert any("image/png" in o.get("data", {}) for o in shown)


def test_reference_is_current():
    from reference import reference

    assert (docs / "python-api.md").read_text(encoding="utf-8") == reference(), "python python/tests/reference.py writes it anew"
