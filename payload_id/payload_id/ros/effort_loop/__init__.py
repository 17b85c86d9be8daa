"""The loop that moves an arm by torques, in a process of its own, and who takes the arm over.

In: points of a certified motion with the tube, the box and the limits of its proof; joint states.
Out: torques for a forward controller, figures of its own period, a switch of controllers.
"""
