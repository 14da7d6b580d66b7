"""Retrieval: parsing, ranking, calibration, and the judgement whether a query has an answer."""
