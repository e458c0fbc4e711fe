"""What keeps the pages of this repository true."""
