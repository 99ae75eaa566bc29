"""An experiment: its model, its sweeps, what is checked, and how a file becomes one."""
