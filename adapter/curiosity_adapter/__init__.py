"""The robot's last line of defence: one Trigger service per motion, with reasons."""
