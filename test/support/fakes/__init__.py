"""The only doubles of ports: one module for each folder whose ports they stand in for."""
