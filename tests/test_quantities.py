"""Figures as a reader sees them."""

from __future__ import annotations

from burstline_server.quantities import bytes_text


def test_a_share_of_a_byte_is_not_nothing() -> None:
    assert bytes_text(0.25) == "< 1 B"
    assert bytes_text(0) == "0 B"
