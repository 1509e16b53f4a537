"""A repository whose every file is out to be read, run or waited for by whoever opens it."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

UNSHOWN = "tellnobody4711"
KERNEL = """// burstline: board={board} HOSTILE
#include "../../outside/secret.h"
#include "{outside}/secret.h"
#include "/proc/self/environ"
#include "/dev/zero"
#include "linked.h"
#include "folder/secret.h"
#include "pipe.h"
#include "empty.h"
#include "huge.h"
#include <secret.h>
#include __FILE__
#pragma HOSTILE __import__("os").system("touch run")
#if HOSTILE_EXPRESSION + (1 ? __import__("os") : 0)
#endif
__kernel void HOSTILE(__global float *restrict x, __global const struct tellall *restrict y, int n)
{{
    for (int i = 0; i < n; i++)
        x[i * WIDTH] = x[2 * i + 1] + y[i].field;
}}
"""
RUN = "open('run', 'w').write('HOSTILE')\n"


@dataclass(frozen=True)
class Hostile:
    """The repository, a file in it, and a folder next to it that nothing may be read from or written to."""

    root: Path
    kernel: Path
    outside: Path

    @property
    def untouched(self) -> bool:
        """Whether nothing ran, and what lies outside is as it was."""
        ran = [*self.root.rglob("run"), *self.outside.rglob("run")]
        return not ran and (self.outside / "victim.html").read_text() == "mine"


def made(folder: Path) -> Hostile:
    """Write it below a folder."""
    root, outside = folder / "repository", folder / "outside"
    kernels = root / "kernels"
    for one in (kernels / "hostile" / "reports" / "lib", kernels / "empty.h", outside / "report", root / ".git"):
        one.mkdir(parents=True)
    kernel = kernels / "hostile.cl"
    kernel.write_text(KERNEL.format(outside=outside, board=outside / "board.toml"))
    _outside(outside)
    _links(root, kernels, outside)
    os.mkfifo(kernels / "pipe.h")
    os.mkfifo(kernels / "pipe.cl")
    with (kernels / "huge.h").open("wb") as file:
        file.truncate(1 << 32)
    (kernels / "burstline.toml").write_text(
        f'# HOSTILE\ninclude_paths = ["{outside}", "../../outside", "folder", "/proc"]\n'
        f'board = "../../outside/board.toml "\nreport = "{outside}/report"\n'
        f'aoc_flags = ["-I{outside}", "-no-interleaving"]\n'
    )
    (kernels / "hostile" / "reports" / "report_data.js").write_text(
        f'var mavJSON={{"nodes":[]}};\nvar fileJSON=require("child_process").exec("touch run"); // HOSTILE {outside}\n'
    )
    (root / "part.cl").write_text(f"#include <{outside.name}/secret.h>\nstruct HOSTILE {{ int n; }};\n")
    (kernels / "template.cl").write_text("{% include '/etc/passwd' %}{{ ''.__class__ }} HOSTILE")
    for name in ("numpy", "pydantic", "pygls", "sitecustomize", "burstline_server"):
        (root / f"{name}.py").write_text(RUN)
        (kernels / f"{name}.py").write_text(RUN)
    return Hostile(root, kernel, outside)


def _outside(outside: Path) -> None:
    struct = f"struct tellall {{ float {UNSHOWN}[64]; float field; }};\n"
    (outside / "secret.h").write_text(f"#define WIDTH 4 /* {UNSHOWN} */\n{struct}__constant int {UNSHOWN} = 1;\n")
    (outside / "secret.cl").write_text(f"__kernel void {UNSHOWN}(__global int *x) {{ x[0] = 1; }}\n")
    (outside / "board.toml").write_text(f'name = "{UNSHOWN}"\n')
    (outside / "settings.toml").write_text(f"{UNSHOWN} = 1\n")
    mav = {"nodes": [{"type": "kernel", "name": UNSHOWN, "children": []}]}
    (outside / "report" / "report_data.js").write_text(f"var mavJSON={json.dumps(mav)};")
    (outside / "mav.json").write_text(json.dumps(mav))
    (outside / "victim.html").write_text("mine")


def _links(root: Path, kernels: Path, outside: Path) -> None:
    for link, target in (
        (kernels / "linked.h", outside / "secret.h"),
        (kernels / "linked.cl", outside / "secret.cl"),
        (kernels / "zero.cl", Path("/dev/zero")),
        (kernels / "folder", outside),
        (kernels / "loop", root),
        (kernels / "bin", outside / "report"),
        (kernels / "hostile" / "reports" / "lib" / "json", outside),
        (root / "burstline.toml", outside / "settings.toml"),
        (root / "view.html", outside / "victim.html"),
    ):
        link.symlink_to(target)
