"""What the launch files share. Only `launch/` imports this: launch comes with a distribution."""
