"""What people at tables of the site wait for, and what they cost."""
