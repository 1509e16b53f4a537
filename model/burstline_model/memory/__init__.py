"""What the load/store units of a kernel cost on a memory."""
