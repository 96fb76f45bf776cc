"""Study `vcp`: the claims of VCP's slides, compared with TCP with RED/ECN and XCP."""
