"""``--form``: where launches find their data, and what follows for kernels and their copies."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence

from burstline_server.assessment.assessor import Assessment
from burstline_server.cli.options import unusable
from burstline_server.cli.terminal import one_line
from burstline_server.exploration.forms import Place
from burstline_server.exploration.kernel_roofline import roofline_for
from burstline_server.words.roofline import form_text, no_roofline_text


def add_form(parser: argparse.ArgumentParser, default: str | None = "B") -> None:
    """The options."""
    parser.add_argument(
        "--form",
        choices=("A", "B", "C"),
        default=default,
        help="data sent by the host each time, on the board, on the chip",
    )
    parser.add_argument("--host-gb-s", type=float, metavar="GB/S", help="the link to the host, for form A")


def data_of(arguments: argparse.Namespace) -> Place:
    """What was asked for; form A needs the link's speed."""
    if arguments.form == "A" and not 0 < (arguments.host_gb_s or 0) < math.inf:
        raise unusable("speed_needed")
    return Place(form=arguments.form or "B", host_gb_s=arguments.host_gb_s)


def rooflines(assessments: Sequence[Assessment], data: Place) -> str:
    """A line for each kernel: its time in a form, what it and its copies reach, and how many of them pay."""
    lines = []
    for assessment in assessments:
        for kernel in assessment.kernels:
            found = roofline_for(assessment, kernel, data.form, data.host_gb_s)
            name, time_s = kernel.facts.name, data.launch_s(kernel)
            known = found is not None and time_s is not None
            lines.append(form_text(name, found, time_s) if known and found and time_s else no_roofline_text(name))
    return "".join(f"  {one_line(line)}\n" for line in lines)
