"""The protocol side: one session a client, its open documents, and a file for each method that editors call."""
