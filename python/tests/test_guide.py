"""Every Python snippet of the guide runs."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SNIPPETS = [
    pytest.param(text, id=f"{page.name}-{number}")
    for page in sorted((ROOT / "docs").glob("*.md"))
    for number, text in enumerate(re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.S | re.M), 1)
]


def test_there_are_snippets():
    assert len(SNIPPETS) >= 4


@pytest.mark.parametrize("text", SNIPPETS)
def test_a_snippet_runs(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(text, "guide", "exec"), {"__name__": "guide"})
