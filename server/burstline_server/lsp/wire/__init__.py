"""Messages between a client and a session: framing, sending, and what the protocol forbids."""
