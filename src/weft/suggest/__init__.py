"""Find the links that are missing; importing this folder registers its methods."""
