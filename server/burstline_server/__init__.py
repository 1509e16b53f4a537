"""The server half of Burstline: reads kernels, asks the model, answers editors and terminals."""
