"""Measurements of the numbers in docs/numbers.md; `python -m bench` lists them."""
