"""What a ros2_control robot offers to others: actions, topics, services, as the real ones are.

In: goals, trajectories, commands, switches, questions.
Out: calls of the controllers; their answers and states as messages.
"""
