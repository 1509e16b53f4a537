"""What the names in a file stand for: the user's own, and where each is declared and used."""
