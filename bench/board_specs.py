"""Whether board specifications import with their memories as they name them: `python bench/board_specs.py FOLDER`.

Every `*board_spec*.xml` under the folder is read, one of each text. A memory of the file is found again where the
board has one of its name, or a channel of it; a specification of HLS or of an empty shell has none, and is refused.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from hashlib import blake2b
from pathlib import Path

from burstline_model.boards.board_spec import BoardSpecError, NoSpecificationError, read_board_spec

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MEMORY = re.compile(r"<global_mem\b[^>]*>", re.DOTALL)
_NAME = re.compile(r"\bname\s*=\s*[\"']([^\"']*)")


def memories_of(path: Path) -> list[str]:
    """The names of the memories in a specification, as they are written."""
    text = _COMMENT.sub("", path.read_text("utf-8-sig", "replace"))
    return [name[1] if (name := _NAME.search(tag)) else "" for tag in _MEMORY.findall(text)]


def main() -> int:
    """Print what was imported, and each specification that was not; exit status 1 where a memory got lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    seen, counts, lost = set[bytes](), Counter[str](), list[str]()
    for path in sorted(options.folder.rglob("*board_spec*.xml")):
        digest = blake2b(path.read_bytes()).digest()
        if digest in seen:
            continue
        seen.add(digest)
        counts["specifications"] += 1
        written = memories_of(path)
        try:
            board = read_board_spec(path).board
        except BoardSpecError as error:
            kind = error.why.kind if isinstance(error.why, NoSpecificationError) else str(error.why)
            counts["refused with a memory" if written else "refused without a memory"] += 1
            if written:
                lost.append(f"{path.name}: refused ({kind}), has {', '.join(written)}")
            continue
        counts["imported"] += 1
        counts["memories"] += len(written)
        gone = [name for name in written if name and name not in board.memory_names]
        if gone:
            lost.append(f"{path.name}: without {', '.join(gone)}")
    sys.stdout.write(", ".join(f"{what}: {count}" for what, count in counts.items()) + "\n")
    sys.stdout.writelines(f"{line}\n" for line in lost)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
