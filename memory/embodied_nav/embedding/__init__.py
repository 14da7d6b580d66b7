"""Tokens for BM25, and the vectors of texts and terms."""
