"""Players that the arena asks for moves: in this process, in a process of their own, or offered by Hub."""
