"""The study `fluid-check`: each law by packets and by its fluid, and where the fluid breaks."""
