"""How often the parts of a kernel run, in how many copies, and which of its accesses may meet."""
