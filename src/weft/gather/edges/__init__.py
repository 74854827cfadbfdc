"""Read graphs without text: edge lists, tables, GML, GraphML, matrices, Common Crawl."""
