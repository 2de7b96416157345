"""What makes Azure hard and harms nobody who is careful: on in every world in which the engine is tested."""

from __future__ import annotations

from typing import Any

PAGES = {"pageSize": 3, "instancePageSize": 2, "emptyPages": True}
DRIFT = {"caseDrift": True, "shuffle": True}
BUDGETS = {
    "throttling": True,
    "budgets": {
        "reads": [15, 3.0],
        "writes": [4, 0.5],
        "deletes": [4, 0.5],
        "HighCostGetVMScaleSetResource": [2, 0.2],
    },
}
TOKENS = {"tokenLifeS": 600}
LAG = {"readLagS": 5, "listLagS": 12}

HARD: dict[str, Any] = {**PAGES, **DRIFT, **BUDGETS, **TOKENS, **LAG}
