"""The study `fluid-check`: each law by packets and by its fluid model, and where the fluid breaks."""
