"""Looking at robots, terrain and policies."""
