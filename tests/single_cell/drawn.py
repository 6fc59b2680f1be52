"""Tables with what the verbs write, made by hand: pictures are tested without running a verb."""

import anndata
import numpy as np
import pandas as pd

GENES = 60
#: genes with a q-value below 0.05, best first; gene 7 has no score
FOUND = (11, 3, 29)


def cells_with_scores(rng, *, tested=True):
    """80 cells on a tissue with 60 genes, of which three are discoveries where any was tested."""
    X = rng.gamma(2.0, np.geomspace(0.1, 20, GENES), size=(80, GENES))
    X[:, 7] = 0.0
    scores = rng.uniform(-0.1, 0.1, size=GENES)
    scores[list(FOUND)] = (0.9, 0.7, 0.5)
    scores[7] = np.nan
    p = np.where(np.isnan(scores), np.nan, np.maximum(rng.uniform(0.1, 1, size=GENES), 0.01))
    p[list(FOUND)] = (1e-9, 1e-7, 1e-5)
    nothing = np.full(GENES, np.nan)
    var = pd.DataFrame(
        {
            "spectral_score": scores,
            "spectral_rank": np.argsort(np.argsort(-np.nan_to_num(scores, nan=-9.0), kind="stable")) + 1,
            "spectral_pval": p if tested else nothing,
            "spectral_qval": np.minimum(p * GENES, 1) if tested else nothing,
            "spectral": np.isin(np.arange(GENES), FOUND),
        },
        index=[f"gene{j}" for j in range(GENES)],
    )
    names = [f"cell{i}" for i in range(80)]
    adata = anndata.AnnData(X, pd.DataFrame(index=names), var)
    adata.obsm["spatial"], adata.obsm["X_umap"] = rng.uniform(size=(80, 2)), rng.normal(size=(80, 3))
    adata.uns["spectral"] = {"eigenselect": "0", "params": {"alpha": 0.05, "method": "laplacian"}}
    table = pd.DataFrame({"I": scores, "pval_norm": p, "var_norm": 0.1, "pval_norm_fdr_bh": np.minimum(p * GENES, 1)})
    adata.uns["moranI"] = table.set_axis(adata.var_names).sort_values("I", ascending=False)
    return adata
