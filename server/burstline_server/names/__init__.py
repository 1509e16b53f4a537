"""What the names in a file mean: the user's own, and where each is declared and used."""
