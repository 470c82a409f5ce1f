"""`--json FILE`: everything raw, into a file or, for `-`, to standard output in place of the table."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import tilewright
from tilewright.choose.printable import printable_content

from .writing import check_writable, write_whole

STANDARD_OUTPUT = Path("-")
JSON_HELP = "Write everything, raw; - for standard output."


def check_json_path(path: Path | None) -> None:
    """Refuse a file that cannot be written, before any work."""
    if path is not None and path != STANDARD_OUTPUT:
        check_writable(path)


def write_json(path: Path | None, content: dict[str, Any]) -> None:
    """Write the content with the command that made it; nothing for None."""
    if path is None:
        return
    made_by = {"command": ["tilewright", *sys.argv[1:]], "tilewright": tilewright.__version__}
    text = json.dumps(printable_content({**made_by, **content}), indent=2, allow_nan=False) + "\n"
    if path == STANDARD_OUTPUT:
        sys.stdout.write(text)
    else:
        write_whole(path, lambda file: file.write(text.encode()))
