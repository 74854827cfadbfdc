"""How well communities are found: a module for each part, which `__main__` runs and writes up."""
