"""A simulated arm: MuJoCo moves it, independent of the estimator's Pinocchio model."""
