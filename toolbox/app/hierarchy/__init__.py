"""What the screen *Hierarchies* shows and does, without a browser."""
