"""The compiler's rules, one table per kind of decision; each row with its reason, source and scope."""
