"""The study `fluid-check`: algorithms by packets and by fluid model, and errors of the models."""
