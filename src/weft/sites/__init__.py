"""Compare two sites of a collection: their terms, concepts, pages and links."""
