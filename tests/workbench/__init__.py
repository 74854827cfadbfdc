"""Browser tests of the workbench; a package, so that they share one browser."""
