"""The HTTP and WebSocket server for clients."""
