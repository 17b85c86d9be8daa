"""What the pages promise, held against the product through its public doors alone.

Doors are the names that `payload_id` exports, the command line, files, the executables of the nodes
with their messages, services, actions and parameters, and launch files. Nothing here imports a
module of the package, so that no test here changes when the package is arranged otherwise
(`test_doors.py`). What the product says is compared with this folder's own simulations and checks.
"""
