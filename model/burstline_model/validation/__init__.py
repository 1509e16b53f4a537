"""The model held against measurements: published ones, the papers' tables, and a user's own."""
