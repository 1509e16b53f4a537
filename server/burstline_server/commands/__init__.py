"""The vendor compiler's command lines in build files, read and never run."""
