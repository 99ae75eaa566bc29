"""Players that are held and asked: in this process, in a process of their own, or offered by Hub."""
