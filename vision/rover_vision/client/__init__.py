"""The client that answers with a screen or a webcam: `bt-executive vision-client`."""
