"""Convex models, trained on rows in memory: output perturbation, objective perturbation, noisy gradient descent."""
