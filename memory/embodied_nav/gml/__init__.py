"""The GML files of spec 5, read and written; the store stays the truth."""
