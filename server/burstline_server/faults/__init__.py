"""What the vendor's compiler would refuse, and what a text needs that it does not have."""
