"""Scene reports and capacity profiles, shown: as tables, as a picture, and from their files."""

from poolkit.devtools.reports.files import read_report
from poolkit.devtools.reports.pictures import save_picture
from poolkit.devtools.reports.tables import print_report

__all__ = ["print_report", "read_report", "save_picture"]
