"""The web server: one collection as JSON under /api, and the page that shows it."""
