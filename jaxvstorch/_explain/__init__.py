"""What a compiler made of a function, from what the frameworks themselves report."""
