"""The steps of going to what is remembered."""
