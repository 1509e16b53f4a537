"""A process of its own that asks libclang about texts: started with the library's and the header's path.

A question on standard input is a text behind its length (4 bytes, the lowest first). The answer is one line of JSON:
`[[place, category, message], …]`, places in bytes. It ends with its input. It is run as a file, without any package, so
that it starts at once; whatever libclang does to a text, the process that asks goes on.
"""

import ctypes
import json
import sys
from contextlib import suppress
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_uint, c_ulong, c_void_p

ERROR = 3
"""CXDiagnostic_Error: this severity and above end a compilation."""
ROOM_BYTES = 4 << 30
"""Most address space of this process."""
NAME = b"kernel.cl"
ARGUMENTS = (
    b"-x", b"cl", b"-cl-std=CL2.0", b"-target", b"spir64-unknown-unknown", b"-cl-no-stdinc", b"-nostdinc",
    b"-Xclang", b"-fdeclare-opencl-builtins", b"-Wno-everything", b"-ferror-limit=50",
)  # fmt: skip


class String(Structure):
    """CXString."""

    _fields_ = [("data", c_void_p), ("flags", c_uint)]


class Location(Structure):
    """CXSourceLocation."""

    _fields_ = [("data", c_void_p * 2), ("number", c_uint)]


class Unsaved(Structure):
    """CXUnsavedFile."""

    _fields_ = [("name", c_char_p), ("text", c_char_p), ("length", c_ulong)]


FUNCTIONS = {
    "createIndex": (c_void_p, c_int, c_int),
    "parseTranslationUnit2": (
        c_int, c_void_p, c_char_p, POINTER(c_char_p), c_int, POINTER(Unsaved), c_uint, c_uint, POINTER(c_void_p),
    ),
    "disposeTranslationUnit": (None, c_void_p),
    "getNumDiagnostics": (c_uint, c_void_p),
    "getDiagnostic": (c_void_p, c_void_p, c_uint),
    "disposeDiagnostic": (None, c_void_p),
    "getDiagnosticSeverity": (c_int, c_void_p),
    "getDiagnosticLocation": (Location, c_void_p),
    "getDiagnosticSpelling": (String, c_void_p),
    "getDiagnosticOption": (String, c_void_p, POINTER(String)),
    "getDiagnosticCategoryText": (String, c_void_p),
    "getExpansionLocation": (
        None, Location, POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint),
    ),
    "getFileName": (String, c_void_p),
    "getCString": (c_char_p, String),
    "disposeString": (None, String),
}  # fmt: skip
"""What is called of libclang: the type of the result, and of each argument."""


class Library:
    """libclang's functions, as far as they are called."""

    def __init__(self, path: str, header: str) -> None:
        loaded = ctypes.CDLL(path)
        self._functions = {}
        for name, (result, *arguments) in FUNCTIONS.items():
            function = self._functions[name] = getattr(loaded, f"clang_{name}")
            function.restype, function.argtypes = result, arguments
        words = (*ARGUMENTS, b"-include", header.encode())
        self._arguments = (c_char_p * len(words))(*words)
        self._index = self._functions["createIndex"](0, 0)

    def errors(self, text: bytes) -> list[tuple[int, str, str]] | None:
        """The errors of a text: place, category and message; None where libclang gives no answer.

        What an option can make a warning is left out: versions of clang differ in it.
        """
        call = self._functions
        unit = c_void_p()
        unsaved = Unsaved(NAME, text, len(text))
        failed = call["parseTranslationUnit2"](
            self._index, NAME, self._arguments, len(self._arguments), byref(unsaved), 1, 0, byref(unit)
        )
        if failed:
            return None
        try:
            return [one for n in range(call["getNumDiagnostics"](unit)) if (one := self._error(unit, n)) is not None]
        finally:
            call["disposeTranslationUnit"](unit)

    def _error(self, unit: c_void_p, number: int) -> tuple[int, str, str] | None:
        call = self._functions
        diagnostic = call["getDiagnostic"](unit, number)
        try:
            option = self._text(call["getDiagnosticOption"](diagnostic, None))
            if call["getDiagnosticSeverity"](diagnostic) < ERROR or option:
                return None
            file, line, column, place = c_void_p(), c_uint(), c_uint(), c_uint()
            at = call["getDiagnosticLocation"](diagnostic)
            call["getExpansionLocation"](at, byref(file), byref(line), byref(column), byref(place))
            here = bool(file) and self._text(call["getFileName"](file)).endswith(NAME.decode())
            category = self._text(call["getDiagnosticCategoryText"](diagnostic))
            message = self._text(call["getDiagnosticSpelling"](diagnostic))
            return (place.value if here else -1), category, message
        finally:
            call["disposeDiagnostic"](diagnostic)

    def _text(self, string: String) -> str:
        found = self._functions["getCString"](string)
        text = (found or b"").decode("utf-8", "replace")
        self._functions["disposeString"](string)
        return text


def main() -> None:
    """Answer until the input ends."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (ROOM_BYTES, ROOM_BYTES))
    library = Library(sys.argv[1], sys.argv[2])
    while len(head := sys.stdin.buffer.read(4)) == 4:
        text = sys.stdin.buffer.read(int.from_bytes(head, "little"))
        sys.stdout.write(json.dumps(library.errors(text)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
