"""The steps of a visit to a remembered place."""
