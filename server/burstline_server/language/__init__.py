"""What OpenCL C and the vendor's extensions give by name, as tables with a text for each."""
