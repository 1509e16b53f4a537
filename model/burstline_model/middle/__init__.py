"""What the vendor's compiler makes of a kernel before it builds units: facts as the text has them → facts as built."""
