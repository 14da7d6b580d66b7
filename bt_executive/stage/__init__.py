"""One run as data and as a page: what the live page and the report share."""
