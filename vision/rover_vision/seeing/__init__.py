"""From a picture to text: measurements, and a vision model."""
