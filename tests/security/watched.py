"""Runs the program under an audit hook that notes whatever no command may do: python -I watched.py NOTES FOLDERS ARGS.

NOTES is the file that is written to, one line a deed; FOLDERS, joined as on a path, may be opened next to
the interpreter's and the program's own; "control" as the argument does one of each to show that it is noted.
"""

import contextlib
import os
import socket
import subprocess
import sys
import sysconfig
from pathlib import Path

import burstline_model
import burstline_server

MARK = "HOSTILE"
"""What every text of the workspace holds: code that is compiled must not."""
_FORBIDDEN = (
    "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "os.startfile",
    "os.kill", "pty.spawn", "socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo",
    "socket.gethostbyname", "urllib.Request", "webbrowser.open", "os.symlink", "os.link", "pickle.find_class",
)  # fmt: skip
_ON_PATHS = (
    "open", "os.listdir", "os.scandir", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.chmod", "os.truncate",
    "os.utime", "shutil.rmtree",
)  # fmt: skip
_OWN = (sys.prefix, sys.base_prefix, *filter(None, sys.path), *sysconfig.get_paths().values())
_PACKAGES = [Path(p) for package in (burstline_model, burstline_server) for p in package.__path__]
_WORKER = [sys.executable, "-I", "-S", str(Path(burstline_server.__path__[0]) / "clang" / "worker.py")]
"""The only program that is started: it asks libclang about texts."""
_HARMLESS = ("/dev/null", "/proc/meminfo", "/proc/cpuinfo", "/proc/self/status", "/sys/devices/system/cpu")


def watch(notes: int, folders: list[str]) -> None:
    """Note from now on what is forbidden."""
    checkout = [
        _PACKAGES[1].parents[1] / name for name in ("queries", "docs/rules", "docs/glossary.md", "examples/paper")
    ]
    roots = [os.path.realpath(p) for p in (*folders, *_OWN, *_PACKAGES, *checkout, *_HARMLESS)]

    def inside(path: object) -> bool:
        if isinstance(path, int) or path is None:
            return True
        real = os.path.realpath(os.fsdecode(path))  # type: ignore[arg-type]
        return any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in roots)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "subprocess.Popen" and list(arguments[1])[:4] == _WORKER:  # type: ignore[call-overload]
            return
        bad = event.startswith(_FORBIDDEN) or (event in _ON_PATHS and not inside(arguments[0]))
        if event == "compile" and arguments[0] is not None:
            source = arguments[0] if isinstance(arguments[0], bytes) else str(arguments[0]).encode("utf-8", "replace")
            bad = MARK.encode() in source
        if bad:
            os.write(notes, f"{event} {arguments!r}\n".encode("utf-8", "replace"))

    sys.addaudithook(hook)


def control() -> None:
    """One deed of each kind."""
    subprocess.run([sys.executable, "-c", ""], check=True)
    with contextlib.suppress(OSError), socket.socket() as probe:
        probe.connect(("127.0.0.1", 9))
    Path(__file__).read_bytes()
    list(Path(os.sep).iterdir())
    compile(f"'{MARK}'", "kernel.cl", "eval")


if __name__ == "__main__":
    notes, folders, *words = sys.argv[1:]
    watch(os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND), folders.split(os.pathsep))
    if words == ["control"]:
        control()
    else:
        from burstline_server.cli.main import main

        sys.exit(main(words))
