"""The commands of `arena`, by what they are about. Heavy modules are imported when a command is called."""
