"""The rover stand-in's world, body and camera: pure, seeded, without ROS."""
