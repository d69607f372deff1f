"""What a mutating action does (effect classes), and whether it may: allow, ask or deny, decided before it runs (SYSTEM §11)."""
