"""Python values as TOML text: the language in which softdock's libraries take settings."""

from __future__ import annotations

import json
import math
from typing import Any, Iterator, Mapping, Tuple


def value(item: Any) -> str:
    """A value as TOML: numbers, texts, truth values, lists, arrays and dicts."""
    if hasattr(item, "tolist"):  # NumPy arrays and numbers
        item = item.tolist()
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, int):
        return str(item)
    if isinstance(item, float):
        if math.isnan(item):
            return "nan"
        if math.isinf(item):
            return "inf" if item > 0 else "-inf"
        return repr(item)
    if isinstance(item, str):
        return json.dumps(item, ensure_ascii=False)
    if isinstance(item, Mapping):
        inner = ", ".join(f"{json.dumps(str(k))} = {value(v)}" for k, v in item.items() if v is not None)
        return "{ " + inner + " }"
    if isinstance(item, (list, tuple)):
        return "[" + ", ".join(value(entry) for entry in item) + "]"
    if hasattr(item, "__fspath__"):
        return json.dumps(item.__fspath__(), ensure_ascii=False)
    raise TypeError(f"{item!r} of type {type(item).__name__} is no setting: it must be a number, a text, a truth value, a list or a dict")


def document(table: Mapping[str, Any]) -> str:
    """A dict as a TOML file."""
    return "".join(f"{json.dumps(str(key))} = {value(item)}\n" for key, item in table.items() if item is not None)


def pairs(settings: Mapping[str, Any], prefix: str = "") -> Iterator[Tuple[str, str]]:
    """Settings as (key with its tables, TOML text). ``misalignment__pitch_deg``,
    ``{"misalignment.pitch_deg": 5}`` and ``misalignment={"pitch_deg": 5}`` mean the same."""
    for name, item in settings.items():
        key = prefix + str(name).replace("__", ".")
        if isinstance(item, Mapping) and item:
            yield from pairs(item, key + ".")
        else:
            yield key, value(item)
