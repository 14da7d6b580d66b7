"""A small chat model without a network: it matches commands against the offered tools.

Read `goal` (words to parts), `plan` (parts to tool calls, or why it declines), `pursue` (the next
step, from what has come of the steps so far), then `chat_model`, which makes a langchain chat
model of them. What it understands: docs/offline_model.md.
"""
