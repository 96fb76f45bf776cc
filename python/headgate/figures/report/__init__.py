"""Reports: everything that a folder's table shows, on one page that needs no network."""
