"""An example of a package with a study: each folder with a `study.toml` is a study."""
