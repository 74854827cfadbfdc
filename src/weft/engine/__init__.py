"""Link operators, and the solvers on top of them: fixed points, Neumann series, SVD."""

from weft.engine.fixed_point import (
    CLOSED_FORM,
    NO_TELEPORT,
    Trace,
    fixed_point,
    neumann_series,
    normalize_l1,
    normalize_l2,
    normalize_max,
)
from weft.engine.lanczos import SingularPair, principal_singular_pair
from weft.engine.operator import (
    LinkOperator,
    ScaledOperator,
    Vectors,
    array_namespace,
    operator_from_csr,
    safe_power,
    use,
)
from weft.engine.svd import SingularTriplets, second_eigenvalue_modulus, singular_triplets
from weft.kernels.bipartite_components import BipartiteComponents, sum_by_component

__all__ = [
    "CLOSED_FORM",
    "NO_TELEPORT",
    "BipartiteComponents",
    "LinkOperator",
    "ScaledOperator",
    "SingularPair",
    "SingularTriplets",
    "Trace",
    "Vectors",
    "array_namespace",
    "fixed_point",
    "neumann_series",
    "normalize_l1",
    "normalize_l2",
    "normalize_max",
    "operator_from_csr",
    "principal_singular_pair",
    "safe_power",
    "second_eigenvalue_modulus",
    "singular_triplets",
    "sum_by_component",
    "use",
]
