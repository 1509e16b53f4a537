"""What surfaces show: cards, titles and the stable JSON, independent of who shows them."""
