"""Look, watch and remember: pictures of the rover and of its operator's screen."""
