"""Study `vcp`: what the slides of VCP claim, beside TCP with RED/ECN and XCP."""
