"""Real escape attempts and the machinery that turns them into evidence: an attempt goes in, evidence comes out."""
