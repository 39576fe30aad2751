"""The notebooks of the guide run from top to bottom."""

import os
import pathlib

import pytest

NOTEBOOKS = sorted((pathlib.Path(__file__).resolve().parents[2] / "docs" / "notebooks").glob("*.ipynb"))
#: Longest that a cell may take [s]; cells take seconds.
PATIENCE_S = 300


def test_there_are_notebooks():
    assert [path.stem for path in NOTEBOOKS] == ["controller", "docking", "study"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    # Nothing is drawn on a screen, and nothing is remembered outside.
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.setenv("IPYTHONDIR", os.fspath(tmp_path / "ipython"))
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.get("outputs") for cell in notebook.cells), "outputs would grow old"
    client.NotebookClient(notebook, timeout=PATIENCE_S, resources={"metadata": {"path": tmp_path}}).execute()
    pictures = [out for cell in notebook.cells for out in cell.get("outputs", []) if "image/png" in out.get("data", {})]
    assert pictures, "nothing was drawn"
