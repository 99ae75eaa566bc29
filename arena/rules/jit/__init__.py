"""How kernels are compiled, kept on disk, and given rules as constants."""
