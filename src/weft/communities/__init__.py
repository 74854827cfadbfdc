"""Find groups that link among themselves; importing this folder registers its methods."""
