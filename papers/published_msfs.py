"""Zhao (2010), chapter 5: Tables 5.4 and 5.5 as printed, for 2, 5, 10, 20, 30 genes; the averages are not repeated."""

from __future__ import annotations

SIZES = (2, 5, 10, 20, 30)

#: experts' weights of (mRNA, miRNA, function, pathway, GO), page 84
EXPERT = {
    "COMB-1, weights of 2C": (0.0, 0.5, 0.5, 0.0, 0.0),
    "COMB-2, weights of 2C": (0.1, 0.3, 0.3, 0.2, 0.1),
    "COMB-1, weights of 4C": (0.0, 0.3, 0.4, 0.3, 0.0),
    "COMB-2, weights of 4C": (0.1, 0.2, 0.4, 0.2, 0.1),
}

#: 1NN accuracy on 2C-DATA (88 tissues, tumour or not)
ACCURACY_2C: dict[str, list[float]] = {
    "SPCA": [0.31, 0.31, 0.38, 0.66, 0.60],
    "Laplacian score": [0.62, 0.66, 0.70, 0.65, 0.73],
    "mRNA": [0.68, 0.78, 0.72, 0.74, 0.78],
    "miRNA": [0.69, 0.74, 0.88, 0.91, 0.88],
    "function": [0.69, 0.79, 0.86, 0.85, 0.89],
    "pathway": [0.61, 0.64, 0.65, 0.75, 0.72],
    "GO": [0.69, 0.76, 0.84, 0.73, 0.65],
    "COMB-1": [0.82, 0.74, 0.88, 0.93, 0.89],
    "COMB-2": [0.69, 0.74, 0.90, 0.90, 0.89],
    "ReliefF (labels)": [0.83, 0.90, 0.92, 0.95, 0.96],
    "Fisher score (labels)": [0.93, 0.90, 0.92, 0.92, 0.93],
    "learned weights (labels)": [0.82, 0.81, 0.79, 0.81, 0.84],
}

#: 1NN accuracy on 4C-DATA (33 tumours of four tissues)
ACCURACY_4C: dict[str, list[float]] = {
    "SPCA": [0.25, 0.25, 0.21, 0.21, 0.27],
    "Laplacian score": [0.22, 0.22, 0.22, 0.22, 0.22],
    "mRNA": [0.15, 0.43, 0.43, 0.37, 0.24],
    "miRNA": [0.60, 0.51, 0.63, 0.82, 0.78],
    "function": [0.42, 0.61, 0.76, 0.85, 0.79],
    "pathway": [0.61, 0.81, 0.88, 0.91, 0.88],
    "GO": [0.33, 0.33, 0.40, 0.50, 0.38],
    "COMB-1": [0.67, 0.79, 0.88, 0.94, 0.91],
    "COMB-2": [0.33, 0.81, 0.94, 0.94, 0.94],
}

#: 1NN accuracy on 4C-DATA of genes that were chosen on 2C-DATA (lower half of Table 5.5)
TRANSFER: dict[str, list[float]] = {
    "ReliefF (labels)": [0.31, 0.15, 0.33, 0.34, 0.50],
    "Fisher score (labels)": [0.12, 0.27, 0.21, 0.27, 0.31],
    "learned weights (labels)": [0.32, 0.65, 0.55, 0.57, 0.82],
    "Laplacian score": [0.21, 0.39, 0.40, 0.34, 0.39],
    "SPCA": [0.22, 0.25, 0.22, 0.34, 0.33],
    "mRNA": [0.24, 0.15, 0.25, 0.15, 0.12],
    "miRNA": [0.70, 0.79, 0.79, 0.82, 0.88],
    "function": [0.42, 0.42, 0.51, 0.48, 0.69],
    "pathway": [0.21, 0.18, 0.21, 0.34, 0.24],
    "GO": [0.15, 0.24, 0.18, 0.24, 0.23],
    "COMB-1": [0.32, 0.79, 0.79, 0.82, 0.88],
    "COMB-2": [0.70, 0.79, 0.82, 0.85, 0.85],
}

#: known cancer genes (IPA) among the chosen ones, 2C-DATA
HITS_2C: dict[str, list[int]] = {
    "SPCA": [1, 4, 5, 8, 11],
    "Laplacian score": [0, 0, 2, 6, 8],
    "mRNA": [0, 0, 2, 3, 6],
    "miRNA": [2, 4, 6, 8, 13],
    "function": [2, 4, 5, 6, 8],
    "pathway": [0, 1, 3, 6, 8],
    "GO": [0, 0, 2, 2, 6],
    "COMB-1": [2, 4, 6, 8, 13],
    "COMB-2": [2, 4, 7, 9, 13],
    "ReliefF (labels)": [0, 1, 3, 9, 12],
    "Fisher score (labels)": [0, 1, 3, 5, 8],
    "learned weights (labels)": [2, 3, 5, 8, 10],
}

#: the same on 4C-DATA
HITS_4C: dict[str, list[int]] = {
    "SPCA": [2, 2, 2, 3, 6],
    "Laplacian score": [1, 2, 3, 8, 10],
    "mRNA": [0, 0, 0, 1, 2],
    "miRNA": [1, 2, 5, 10, 13],
    "function": [2, 3, 7, 13, 16],
    "pathway": [2, 3, 5, 12, 17],
    "GO": [1, 1, 3, 4, 6],
    "COMB-1": [2, 5, 8, 11, 17],
    "COMB-2": [2, 5, 6, 11, 15],
}
