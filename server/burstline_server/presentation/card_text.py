"""Cards as editors show them: Markdown with links, or plain text."""

from __future__ import annotations

import re
from pathlib import Path

from burstline_model.record import fixed
from burstline_server.presentation.cards import Card, Paragraph
from burstline_server.presentation.glossary_links import linked
from burstline_server.words.accesses import FIGURES
from burstline_server.words.actions import PREVIEW


@fixed
class EditLinks:
    """The addresses of what makes a card's edit, and what shows it first; empty where the editor follows none."""

    make: str = ""
    preview: str = ""


NO_LINKS = EditLinks()


def markdown(card: Card, links: EditLinks = NO_LINKS) -> str:
    """The card as Markdown: what it takes, why and what to do first, figures and inputs below a line."""
    title = f"`{' '.join(card.title.replace('`', ' ').split())}`"
    parts = [title] if card.title_first else []
    parts += [_first(one, links) for one in card.paragraphs]
    below = list[str]()
    if card.rows:
        below += [f"**{row.style}**, {row.detail}" for row in card.rows]
        figures = [f"| {row.t_ideal} | {row.t_ovh} | {row.time} | {row.bandwidth} |" for row in card.rows]
        head = [f"| {' | '.join(FIGURES)} |", f"|{'---|' * len(FIGURES)}"]
        below.append("\n".join([*head, *figures]))
    below += [f"**{one.label}:** {_escaped(one.text)}" for one in card.details]
    if not card.title_first:
        parts += ["---", title]
    parts += linked(below)
    for link in card.links:
        target = f"{Path(link.path).absolute().as_uri()}#L{link.line}"
        parts.append(f"**{link.label}:** [{_escaped(link.text)}]({target})")
    return "\n\n".join(parts)


def _first(paragraph: Paragraph, links: EditLinks) -> str:
    """One of the paragraphs that are read first: what it takes is bold, an edit is a link."""
    text = _escaped(paragraph.text)
    if paragraph.topic == "takes":
        return f"**{text}**"
    if paragraph.topic == "edit" and links.make:
        preview = f" · [{PREVIEW}]({links.preview})" if links.preview else ""
        return f"**{paragraph.label}:** [{text}]({links.make}){preview}"
    return f"**{paragraph.label}:** {text}"


def plain(card: Card) -> str:
    """The card as plain text."""
    lines = [card.title] if card.title_first else []
    lines += [one.text if one.topic == "takes" else f"{one.label}: {one.text}" for one in card.paragraphs]
    lines += [] if card.title_first else [card.title]
    for row in card.rows:
        lines.append(f"{row.style}, {row.detail}")
        figures = zip((*FIGURES[:3], "share"), (row.t_ideal, row.t_ovh, row.time, row.share), strict=True)
        lines.append(", ".join([*(f"{name} {figure}" for name, figure in figures), row.bandwidth]))
    lines += [f"{one.label}: {one.text}" for one in card.details]
    lines += [f"{link.label}: {link.text} ({link.path}:{link.line})" for link in card.links]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Text in which no character of a name, a source or a report is taken for Markdown, HTML or an address.

    An underscore inside a word is none that Markdown takes; shown as it is, it has no backslash.
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


_SPECIAL = re.compile(r"([\\*`|\[\]<>&~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:(?=//))")
