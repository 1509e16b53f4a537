"""What users read of the model's answers: each kind of reason has its sentence here, and nowhere else."""
