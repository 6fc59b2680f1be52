"""
The same in the shell
=====================

The command ``eigenselect`` ranks a csv file without a line of Python, and says what it did. This page writes a small
file, runs the command on it as a shell would, and reads what came out.
"""

# %%
# A csv file as anybody might have it: names in the first line, one column with the labels.
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_wine

folder = Path(tempfile.mkdtemp())
wine = load_wine(as_frame=True)
wine.data.assign(cultivar=wine.target_names[wine.target]).to_csv(folder / "wine.csv", index=False)


def shell(command):
    """Run a command in the folder and print what it says."""
    words = [sys.executable, "-m", *command.split()]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=True)
    print(f"$ {command}\n{done.stdout}{done.stderr}")


# %%
# With a label column, the Fisher score ranks the features, and ``-k fdr`` keeps those whose false discovery rate is at
# most ``--alpha``. P-values are honest here: the cultivar is known from the bottle, not from the measurements.
shell("eigenselect rank wine.csv --label cultivar -k fdr --alpha 0.05 -o ranking.csv")

# %%
# The ranking is a csv file, too.
ranking = pd.read_csv(folder / "ranking.csv")
print(ranking.columns.tolist())
assert len(ranking) == 13

figure, ax = plt.subplots(figsize=(7, 4))
ax.barh(ranking["feature"], ranking["score"])
ax.invert_yaxis()
ax.set(xlabel="score", title="ranking.csv, as the command wrote it")
plt.show()

# %%
# ``eigenselect select`` writes the table with the chosen columns only. Without labels it chooses features together, so
# that none stands in for another (:class:`~eigenselect.MRSF`); ``--scale standard`` puts all on one scale first.
shell("eigenselect select wine.csv --ignore cultivar --scale standard -k 4 -o small.csv")
print(pd.read_csv(folder / "small.csv").head(3).to_string(index=False))
