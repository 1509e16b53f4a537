"""Measures language servers as an editor would feel them: any command that speaks the protocol over its pipes."""
