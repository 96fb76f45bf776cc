"""Parts for experiments of users: MesoNet as a base, NIST's responses, and the template `nist`."""
