"""Which other language or vendor a file is written for, as far as its text shows."""

from __future__ import annotations

import re

from burstline_server.assessment.assessor import Assessment
from burstline_server.words.kernels import NoKernel, Written

_UNSEEN = re.compile(rb"//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)")
_INSTEAD: tuple[tuple[NoKernel, re.Pattern[bytes]], ...] = (
    ("sycl", re.compile(rb"#\s*include\s*[<\"](?:sycl/|CL/sycl)|\bsycl::")),
    (
        "hls",
        re.compile(rb"#\s*include\s*[<\"](?:HLS/|ap_int\.h|hls_\w+\.h)|\bihc::|#\s*pragma\s+HLS\b"),
    ),
    ("cuda", re.compile(rb"\b__global__\b|<<<")),
)
_BESIDES: tuple[tuple[Written, re.Pattern[bytes]], ...] = (
    ("amd", re.compile(rb"\bxcl_\w+")),
    ("gpu", re.compile(rb"\b(?:intel_|get_)?sub_group_\w+(?=\s*\()|\bcl_(?:nv|amd)_\w+")),
)


def why_no_kernel(assessment: Assessment) -> NoKernel:
    """Why a file has no kernel to show."""
    if assessment.source.template:
        return "template"
    code = _UNSEEN.sub(b" ", assessment.source.original)
    return next((kind for kind, pattern in _INSTEAD if pattern.search(code)), "empty")


def written_for(assessment: Assessment) -> tuple[Written, str] | None:
    """Whom the kernels of a file are written for besides, and the word that shows it."""
    code = _UNSEEN.sub(b" ", assessment.source.original)
    found = ((kind, match[0].decode()) for kind, pattern in _BESIDES if (match := pattern.search(code)))
    return next(found, None)
