"""One file through the whole line: text, settings, reports of builds and kernels with their costs."""
