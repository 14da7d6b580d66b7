"""A chat model without a network: it reads the conversation, forms beliefs and chooses a tool.

Read `experience` (messages to steps), `beliefs` (steps to beliefs), `policy` (beliefs to the next
decision), then `chat_model`, which makes a langchain chat model of them. Nothing here knows the
simulator, its thresholds or any sequence of steps.
"""
