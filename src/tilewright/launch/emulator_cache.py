"""The emulator's compiled code on disk: one folder per version and processor, of which old ones are removed."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

from tilewright.kept.folder import check_folder

MOST_FOLDERS = 128
"""Some 0.7 MB each."""

_NAME = re.compile(r"[0-9a-f]{20}(-[0-9a-f]{16})?")


def keep_recent_folders(in_use: Path) -> None:
    """Mark a folder as used now, and remove the least recently used ones if there are more than MOST_FOLDERS.

    A process that uses a removed folder has its code in memory; the next one compiles it anew. If a folder is a link or
    belongs to another user, nothing is marked or removed.
    """
    try:
        check_folder(in_use.parent)
        with suppress(OSError):
            check_folder(in_use)
            os.utime(in_use)
        with os.scandir(in_use.parent) as entries:
            found = [entry for entry in entries if _NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)]
        ages = sorted((entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in found)
    except OSError:
        return
    for _, path in ages[:-MOST_FOLDERS]:
        if Path(path) != in_use:
            shutil.rmtree(path, ignore_errors=True)
