"""Device families and memory technologies: what they have, and what a piece of hardware costs on them."""
