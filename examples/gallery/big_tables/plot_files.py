"""
A table that stays in its file
==============================

A memory map or a zarr array goes in as it is: bands of columns are read, and ``working_memory`` bounds how much is in
memory at a time. The numbers are the same.
"""

# %%
# 400 samples, 5000 features of four bytes each, written to disk twice: as .npy and as zarr. The first twenty follow
# the classes.
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import sklearn
import zarr

import eigenselect as es

rng = np.random.default_rng(0)
y = rng.integers(3, size=400)
X = rng.normal(size=(400, 5000)).astype(np.float32)
X[:, :20] += 0.8 * rng.normal(size=(3, 20))[y]
folder = Path(tempfile.mkdtemp())
np.save(folder / "table.npy", X)
stored = zarr.create_array(folder / "table.zarr", shape=X.shape, dtype=X.dtype, chunks=(400, 500))
stored[:] = X

# %%
# Three storages, one call. The limit of 4 MB, half of the table, is a setting of scikit-learn.
storages = {
    "array": X,
    "memory map": np.load(folder / "table.npy", mmap_mode="r"),
    "zarr": zarr.open_array(folder / "table.zarr", mode="r"),
}
fitted = {}
with sklearn.config_context(working_memory=4):
    for name, table in storages.items():
        fitted[name] = es.FisherScore("fdr").fit(table, y)
        support = fitted[name].get_support(indices=True)
        print(f"{name:<11} {support.size} kept, {(support >= 20).sum()} of them noise")
assert all(np.allclose(each.scores_, fitted["array"].scores_) for each in fitted.values())
assert all(np.array_equal(each.get_support(), fitted["array"].get_support()) for each in fitted.values())

# %%
# A value that is no number is named with its place.
stored[7, 1234] = np.nan
try:
    es.FisherScore().fit(zarr.open_array(folder / "table.zarr", mode="r"), y)
except ValueError as error:
    print(error)

# %%
# What was found: effect of every feature against its p-value.
es.plot.volcano(fitted["memory map"])
plt.show()
