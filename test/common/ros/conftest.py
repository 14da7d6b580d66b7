"""Tests with nodes in contexts of their own."""

from own_executor import own_executor as own_executor
