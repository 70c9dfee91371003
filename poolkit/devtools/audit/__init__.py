"""The audit: finds what of one life is still there in the next."""

from poolkit.devtools.audit.auditing import audit
from poolkit.devtools.audit.report import AuditReport, Leak

__all__ = ["AuditReport", "Leak", "audit"]
