"""`payload-id demo`: the main job on a simulated arm, with real nodes, from grasp to verdict.

In: a seed.
Out: intervals live in the terminal, a recording, a figure, the replay.
"""
