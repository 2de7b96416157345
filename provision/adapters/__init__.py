"""What touches the world: files, Azure, clocks."""
