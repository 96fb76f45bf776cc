"""Reports: findings and pictures on one page that needs no network."""

from headgate.report.page import Section, write_page

__all__ = ["Section", "write_page"]
