"""Language models as planner, memory and vision share them: text, pictures, embeddings."""
