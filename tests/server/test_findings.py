"""What is reported of a file after edits: the same as of the same text opened again."""

import json
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import LanguageClient

from tests.server.clients import SERVER, edit_text, greet, open_text

TEXT = """float twice(__global const float *from, int i) { return 2 * from[3 * i]; }
#define PAIR(name) __kernel void name(__global float *a, __global int *n) { a[n[get_global_id(0)]] = 1; }
PAIR(one)

__kernel void first(__global const float *x, __global float *y) {
    int i = get_global_id(0);
    y[i] = twice(x, i);
}

__kernel void second(__global const float *x, __global float *y, __global int *n) {
    int i = get_global_id(0); /* é */ y[n[i]] = twice(x, i);
}
"""
EDITS = {
    "a line above all": ("float twice", "\nfloat twice"),
    "within a line above": ("return 2", "return    2"),
    "in a helper that both call": ("3 * i", "4 * i"),
    "a helper's lines": ("{ return", "{\n return"),
    "in one kernel": ("y[i] = twice(x, i)", "y[i] = twice(x, 2 * i)"),
    "a line in one kernel": ("y[i] =", "\n    y[i] ="),
    "a line for a space": ("/* é */ y", "/* é */\ny"),
    "wider signs in a comment": ("/* é */", "/* 🚀 */"),
    "two kernels out of one macro": ("PAIR(one)", "PAIR(one) PAIR(two)"),
    "a kernel called by another": (
        "void second(",
        "void third(__global float *y) { first(y, y); }\n\n__kernel void second(",
    ),
    "ignored by a comment": ("    y[i]", "    // burstline: ignore BL102\n    y[i]"),
    "kernels gone": ("PAIR(one) PAIR(two)\n", ""),
    "a kernel again": ("__kernel void second", "PAIR(three)\n__kernel void second"),
}


@pytest_lsp.fixture(params=["vscode_1_139"], config=SERVER)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient):
    await greet(lsp_client, request.param)
    yield
    await lsp_client.shutdown_session()


async def reported(client: LanguageClient, uri: str) -> list[str]:
    """The findings of a document, in any order, without its address."""
    document = types.TextDocumentIdentifier(uri)
    report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(document))
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    plain = get_converter().unstructure(list(report.items), list[types.Diagnostic])
    return sorted(json.dumps(one, sort_keys=True).replace(uri, "") for one in plain)


async def test_after_each_edit_they_are_those_of_the_text_opened_anew(client: LanguageClient, tmp_path: Path) -> None:
    text, counts = TEXT, []
    uri = open_text(client, tmp_path / "typed.cl", text)
    await reported(client, uri)
    for number, (name, (old, new)) in enumerate(EDITS.items()):
        assert text.count(old), name
        text = text.replace(old, new, 1)
        edit_text(client, uri, text, number + 2)
        edited = await reported(client, uri)
        fresh = open_text(client, tmp_path / f"fresh{number}.cl", text)
        assert edited == await reported(client, fresh), name
        counts.append(len(edited))
    assert min(counts) > 0
    assert len(set(counts)) > 1
