"""Bot archives: packed, checked and unpacked, with their manifest."""
