"""Study `fct`: completion times under TCP, XCP and RCP, beside processor sharing and slow start."""
