"""What every rewrite asks before it is offered: effects, types and order, over the whole kernel."""
