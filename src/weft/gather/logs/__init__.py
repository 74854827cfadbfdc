"""Read what visitors do: access logs of web servers, and ready-made paths."""
