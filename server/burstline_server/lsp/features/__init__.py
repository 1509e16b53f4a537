"""One file per LSP method: estimates in, protocol answers out; nothing is computed here."""
