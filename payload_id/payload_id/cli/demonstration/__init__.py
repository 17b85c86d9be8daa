"""The main job on a simulated arm, with real nodes, from grasp to verdict."""
