"""A small chat model that runs locally: it matches goals against the offered tools.

Read `connectives_lists_and_quotations` and `clause_parsing` (a goal as clauses), `goal_plan` (the
plans by examples and by networks, of which one is chosen), `clause_task` (the task of a clause, or
why it is declined), `next_step` (the next tool call, from the results so far), then `chat_model`,
the langchain chat model. What it understands: docs/offline_model.md.

Terms: a *clause* asks for one thing; its *intent* is the tool that it asks for; an *aside* is a
clause without an intent; *modifiers* (negation, condition, question, manner …) change what an
intent means; a *slot* is the place of a name in an example, in braces.
"""
