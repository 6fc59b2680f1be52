"""Numbers as printed in the papers, for comparison with measured ones."""

from __future__ import annotations

#: samples, features: Zhao and Liu (SDM 2007), Table 1
SSELECT_SIZES: dict[str, tuple[int, int]] = {
    "PCMAC": (1943, 8298),
    "HOCKEYBASE": (1993, 8298),
    "MACBASE": (1955, 8298),
}

#: Zhao and Liu (SDM 2007), Table 2: by data set and number of labels, the gain over Fisher and over Laplacian score
SSELECT_TABLE_2: dict[tuple[str, int], tuple[float, float]] = {
    ("PCMAC", 2): (0.0610, 0.1254),
    ("PCMAC", 6): (0.0431, 0.1447),
    ("PCMAC", 10): (0.0873, 0.1753),
    ("HOCKEYBASE", 2): (0.0560, 0.1389),
    ("HOCKEYBASE", 6): (0.0836, 0.1775),
    ("HOCKEYBASE", 10): (0.1150, 0.1997),
    ("MACBASE", 2): (0.0550, 0.1875),
    ("MACBASE", 6): (0.0859, 0.2338),
    ("MACBASE", 10): (0.1377, 0.2682),
}

#: the last row of that table, as printed
SSELECT_TABLE_2_AVERAGE = (0.0805, 0.1834)

#: Zhao and Liu (SDM 2007), §4.4.3 and footnote 4: words by their score of the label term, by number of labels
SSELECT_LABEL_SCORES: dict[int, dict[str, int]] = {
    2: {"0.0000": 84, "1.0000": 8214},
    10: {"0.6042": 4, "0.7635": 36, "0.8755": 3, "0.8920": 427, "0.9651": 11, "1.0000": 7817},
}

#: Zhao and Liu (SDM 2007), §4.4.3: the best λ with 200 features, by number of labels (one set, not named)
SSELECT_BEST_LAMBDA: dict[int, float] = {2: 0.8, 6: 0.4, 10: 0.2}

#: samples, features: Jiang and Ren (ICML 2011), Table 1, of the sets that are at hand
EVSC_SIZES: dict[str, tuple[int, int]] = {"PIX": (100, 10000), "ORL": (100, 10304), "TOX": (171, 5748)}

#: Jiang and Ren (ICML 2011), Tables 2 to 5: Laplacian score, SPEC, EVSC, by the table's number; the averages as printed
EVSC_TABLES: dict[int, dict[str, list[float]]] = {
    2: {  # clustering accuracy, best features
        "PIX": [0.6216, 0.7726, 0.8705],
        "ORL": [0.7163, 0.6105, 0.8095],
        "GLA": [0.4669, 0.4056, 0.53],
        "CLL": [0.5262, 0.5281, 0.6078],
        "TOX": [0.3712, 0.3712, 0.4364],
        "Ave": [0.54044, 0.5376, 0.65084],
    },
    3: {  # Jaccard score, best features
        "PIX": [0.0908, 0.2873, 0.8269],
        "ORL": [0.7329, 0.5638, 0.8257],
        "GLA": [0.249, 0.1337, 0.7002],
        "CLL": [0.5053, 0.7598, 0.9696],
        "TOX": [0.6165, 0.6353, 0.9569],
        "Ave": [0.4389, 0.47598, 0.85586],
    },
    4: {  # clustering accuracy, worst features
        "PIX": [0.6742, 0.6053, 0.6563],
        "ORL": [0.5195, 0.5268, 0.5311],
        "GLA": [0.4269, 0.436, 0.3929],
        "CLL": [0.3751, 0.3722, 0.5301],
        "TOX": [0.3881, 0.3838, 0.3488],
        "Ave": [0.47676, 0.46482, 0.49184],
    },
    5: {  # Jaccard score, worst features
        "PIX": [0.014, 0.0364, 0.0014],
        "ORL": [0.1073, 0.0016, 0.086],
        "GLA": [0.4343, 0.114, 0.048],
        "CLL": [0.6521, 0.3261, 0.1038],
        "TOX": [0.0891, 0.0645, 0.0016],
        "Ave": [0.2568, 0.1085, 0.0482],
    },
}

#: samples, features: Zhao (2010), Table 4.1
MRSF_SIZES: dict[str, tuple[int, int]] = {
    "ORL": (100, 10000),
    "PIX": (100, 10000),
    "AR": (130, 2400),
    "PIE": (210, 2400),
    "TOX": (171, 5748),
    "CLL-SUB": (111, 11340),
}

#: Zhao (2010), Tables 4.2 to 4.5, the columns in the order of MRSF_SIZES, without the averages
MRSF_TABLES: dict[str, dict[str, list[float]]] = {
    "4.2": {  # accuracy, with labels
        "ReliefF": [0.83, 0.93, 0.80, 0.94, 0.77, 0.67],
        "Fisher": [0.80, 0.92, 0.77, 0.93, 0.72, 0.54],
        "Trace ratio": [0.80, 0.92, 0.77, 0.93, 0.72, 0.54],
        "HSIC": [0.80, 0.93, 0.77, 0.94, 0.73, 0.55],
        "mRMR": [0.73, 0.87, 0.70, 0.95, 0.70, 0.64],
        "AROM-SVM": [0.78, 0.86, 0.63, 0.94, 0.64, 0.57],
        "MRSF": [0.91, 0.96, 0.84, 0.98, 0.79, 0.71],
    },
    "4.3": {  # redundancy rate, with labels
        "ReliefF": [0.92, 0.79, 0.77, 0.36, 0.34, 0.59],
        "Fisher": [0.79, 0.83, 0.67, 0.37, 0.56, 0.76],
        "Trace ratio": [0.79, 0.83, 0.67, 0.37, 0.56, 0.76],
        "HSIC": [0.79, 0.83, 0.67, 0.37, 0.56, 0.76],
        "mRMR": [0.25, 0.33, 0.26, 0.29, 0.26, 0.26],
        "AROM-SVM": [0.25, 0.26, 0.25, 0.32, 0.15, 0.59],
        "MRSF": [0.25, 0.35, 0.21, 0.24, 0.16, 0.21],
    },
    "4.4, 1 neighbour": {  # Jaccard score, without labels
        "Laplacian": [0.07, 0.05, 0.07, 0.04, 0.10, 0.06],
        "SPEC": [0.15, 0.05, 0.09, 0.05, 0.12, 0.05],
        "Trace ratio": [0.06, 0.05, 0.08, 0.03, 0.12, 0.08],
        "HSIC": [0.08, 0.05, 0.07, 0.04, 0.12, 0.10],
        "MRSF": [0.56, 0.53, 0.41, 0.41, 0.31, 0.17],
    },
    "4.4, 5 neighbours": {
        "Laplacian": [0.16, 0.11, 0.13, 0.08, 0.17, 0.16],
        "SPEC": [0.28, 0.11, 0.16, 0.11, 0.19, 0.14],
        "Trace ratio": [0.15, 0.11, 0.14, 0.08, 0.18, 0.17],
        "HSIC": [0.16, 0.13, 0.14, 0.10, 0.18, 0.16],
        "MRSF": [0.57, 0.63, 0.41, 0.38, 0.34, 0.24],
    },
    "4.5": {  # redundancy rate, without labels
        "Laplacian": [0.88, 0.97, 0.82, 0.84, 0.57, 0.65],
        "SPEC": [0.72, 0.97, 0.75, 0.77, 0.47, 0.59],
        "Trace ratio": [0.88, 0.97, 0.81, 0.87, 0.57, 0.67],
        "HSIC": [0.88, 0.97, 0.80, 0.82, 0.57, 0.64],
        "MRSF": [0.35, 0.32, 0.32, 0.29, 0.27, 0.37],
    },
}
