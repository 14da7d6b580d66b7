"""The HTTP and WebSocket server that clients connect to."""
