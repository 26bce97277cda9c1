"""Judges texts for secrets, personal data and injected instructions, in this process.

    >>> import filterd
    >>> f = filterd.Filter()
    >>> f.judge("The refund goes to DE38 3704 0044 0532 0136 27").action
    'redact'

A text that could not be judged is blocked, as everywhere in filterd. Verdicts are those of the service for the same rules and
policy; nothing is recorded and nothing leaves the process.
"""

from ._filter import Filter, FilterdError, Finding, Verdict, Verdicts, version
from .report import Report

__all__ = ["Filter", "FilterdError", "Finding", "Report", "Verdict", "Verdicts", "version"]
__version__ = version()
