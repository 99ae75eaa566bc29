"""How kernels are compiled, kept on disk, and given rules as constants."""

import resource

LEAST_MEGABYTES = 600
"""Of address space (`ulimit -v`): with less the compiler aborts the process, or OpenBLAS waits in it for ever."""

_bytes = resource.getrlimit(resource.RLIMIT_AS)[0]
if _bytes != resource.RLIM_INFINITY and _bytes < LEAST_MEGABYTES << 20:
    raise MemoryError(f"the compiler needs {LEAST_MEGABYTES} MB (ulimit -v)")
