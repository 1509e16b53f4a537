"""Design-space exploration: what can be turned on a kernel, what each variant costs, and the edits that make one."""
