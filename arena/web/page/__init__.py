"""The one page of `arena serve`."""
