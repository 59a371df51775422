"""nntag inside other programs: what it does, in the terms of an engine or library that calls it."""
