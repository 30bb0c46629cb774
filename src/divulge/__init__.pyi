from divulge.api.auditing import audit as audit
from divulge.api.auditing import check as check
from divulge.api.judging import compare as compare
from divulge.api.judging import judge as judge
from divulge.api.result import AuditResult as AuditResult
from divulge.errors import AuditError as AuditError
from divulge.errors import BudgetExhausted as BudgetExhausted
from divulge.errors import EvidenceError as EvidenceError
from divulge.errors import ExecutionError as ExecutionError
from divulge.errors import InputError as InputError

__all__ = [
    "AuditError",
    "AuditResult",
    "BudgetExhausted",
    "EvidenceError",
    "ExecutionError",
    "InputError",
    "__version__",
    "audit",
    "check",
    "compare",
    "judge",
]

__version__: str
