"""What a motion may be proved to keep: tube, torque, clearance, certificate."""
