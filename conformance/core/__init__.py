"""What an attempt is, how it is carried out and observed, and how the observation is judged. One idea per page."""
