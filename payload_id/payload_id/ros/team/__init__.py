"""The node `payload_team`: what each robot of a team publishes in, the team's estimate out.

In: sensor_msgs/JointState, or poses, twists and wrenches, and sensor_msgs/Imu, of every robot.
Out: payload_id_msgs/TeamEstimate, a GravityShare for every robot, markers, diagnostics; runs.
"""
