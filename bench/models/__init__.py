"""model-bench: how well a model pursues tasks under the guards (docs/models.md)."""
