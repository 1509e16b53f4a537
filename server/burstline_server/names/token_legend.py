"""The types and modifiers that words of a file are sent with, in the order that editors number them in."""

TYPES = ("function", "parameter", "variable", "macro", "type", "property", "enumMember", "modifier")
SPACES = ("global", "constant", "local", "private")
MODIFIERS = ("declaration", "readonly", "defaultLibrary", "kernel", "channel", *SPACES)
