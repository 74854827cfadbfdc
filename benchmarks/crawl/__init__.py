"""Crawl strategies on simulated webs: recall of hidden targets and harvest rate."""
