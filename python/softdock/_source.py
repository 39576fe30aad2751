"""Where a scenario, a platform, a study or a mechanism comes from."""

from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Tuple, Union

from . import _toml

#: A file, the name of one that comes with the package, a dict with the content of such a file, or
#: None for the defaults.
Source = Union[None, str, "os.PathLike[str]", Mapping[str, Any]]


def split(source: Source) -> Tuple[Optional[str], Optional[str]]:
    """A source as (name or file, text), of which one at most is there."""
    if source is None:
        return None, None
    if isinstance(source, Mapping):
        return None, _toml.document(source)
    return os.fspath(source), None
