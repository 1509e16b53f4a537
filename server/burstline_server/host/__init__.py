"""What a host program says of its kernels: the sizes and the arguments it launches them with."""
