"""How a question finds its answer: scores, calibration, the way down the forest, abstaining."""
