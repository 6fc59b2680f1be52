"""Numbers as printed in the papers, for comparison with measured ones."""

from __future__ import annotations

#: samples, features: Zhao and Liu (ICML 2007), Table 2
SPEC_SIZES: dict[str, tuple[int, int]] = {
    "HOCKBASE": (1993, 8298),
    "RELATHE": (1427, 8298),
    "PIE10P": (210, 10000),
    "PIX10P": (100, 10000),
}

#: samples, features: Zhao (2010), Table 2.2
DISSERTATION_SIZES: dict[str, tuple[int, int]] = {
    "HOCKBASE": (1993, 4862),
    "RELATHE": (1427, 4322),
    "PIE10P": (210, 10000),
    "PIX10P": (100, 10000),
    "COLON": (62, 2000),
    "DATABASEC": (60, 7129),
}

#: Zhao and Liu (ICML 2007), Table 3: Laplacian score, then φ1, φ2, φ3, each with r and r⁴
SPEC_TABLE_3: dict[tuple[str, str], list[float]] = {
    ("HOCKBASE", "RBF"): [0.58, 0.61, 0.61, 0.58, 0.58, 0.60, 0.60],
    ("HOCKBASE", "DIF"): [0.58, 0.74, 0.74, 0.75, 0.74, 0.70, 0.70],
    ("RELATHE", "RBF"): [0.59, 0.63, 0.63, 0.59, 0.59, 0.55, 0.55],
    ("RELATHE", "DIF"): [0.59, 0.67, 0.67, 0.67, 0.67, 0.61, 0.61],
    ("PIE10P", "RBF"): [0.74, 0.75, 0.75, 0.74, 0.78, 0.87, 0.86],
    ("PIE10P", "DIF"): [0.74, 0.81, 0.81, 0.92, 0.91, 0.91, 0.91],
    ("PIX10P", "RBF"): [0.88, 0.78, 0.78, 0.88, 0.94, 0.93, 0.91],
    ("PIX10P", "DIF"): [0.88, 0.79, 0.79, 0.84, 0.85, 0.93, 0.92],
}

#: Zhao and Liu (ICML 2007), Table 4: ReliefF; φ1, φ2, φ3 on Eq. 12 (R); φ1, φ2, φ3 on Eq. 2 (C)
SPEC_TABLE_4: dict[tuple[str, str], list[float]] = {
    ("HOCKBASE", ""): [0.74, 0.74, 0.80, 0.57, 0.69, 0.78, 0.63],
    ("RELATHE", ""): [0.73, 0.73, 0.68, 0.53, 0.65, 0.73, 0.64],
    ("PIE10P", ""): [0.97, 0.97, 0.97, 0.99, 0.97, 0.97, 0.98],
    ("PIX10P", ""): [0.97, 0.97, 0.97, 0.82, 0.95, 0.97, 0.97],
}

#: Zhao (2010), Table 2.3 without SEPER: Laplacian score, then φ1, φ2, φ3, each with r and r³
DISSERTATION_TABLE_2_3: dict[tuple[str, str], list[float]] = {
    ("RELATHE", "RBF"): [0.528, 0.579, 0.539, 0.528, 0.528, 0.518, 0.519],
    ("RELATHE", "DIJ"): [0.528, 0.582, 0.601, 0.598, 0.600, 0.571, 0.570],
    ("HOCKBASE", "RBF"): [0.533, 0.565, 0.550, 0.533, 0.538, 0.524, 0.525],
    ("HOCKBASE", "DIJ"): [0.533, 0.640, 0.652, 0.703, 0.701, 0.697, 0.696],
    ("PIE10P", "RBF"): [0.636, 0.581, 0.656, 0.636, 0.643, 0.73, 0.786],
    ("PIE10P", "DIJ"): [0.636, 0.661, 0.583, 0.639, 0.636, 0.673, 0.681],
    ("PIX10P", "RBF"): [0.745, 0.69, 0.841, 0.745, 0.903, 0.84, 0.828],
    ("PIX10P", "DIJ"): [0.745, 0.702, 0.763, 0.923, 0.929, 0.902, 0.847],
    ("COLON", "RBF"): [0.694, 0.580, 0.641, 0.694, 0.779, 0.746, 0.735],
    ("COLON", "DIJ"): [0.694, 0.509, 0.513, 0.688, 0.679, 0.734, 0.697],
    ("DATABASEC", "RBF"): [0.568, 0.529, 0.518, 0.568, 0.565, 0.657, 0.622],
    ("DATABASEC", "DIJ"): [0.568, 0.523, 0.507, 0.548, 0.547, 0.615, 0.598],
}

#: Zhao (2010), Table 2.4 without AROM-SVM: ReliefF, Fisher, then φ1, φ2, φ3 on class labels
DISSERTATION_TABLE_2_4: dict[tuple[str, str], list[float]] = {
    ("RELATHE", ""): [0.648, 0.649, 0.588, 0.649, 0.589],
    ("HOCKBASE", ""): [0.759, 0.815, 0.688, 0.815, 0.660],
    ("PIE10P", ""): [0.916, 0.924, 0.892, 0.924, 0.907],
    ("PIX10P", ""): [0.902, 0.908, 0.930, 0.908, 0.958],
    ("COLON", ""): [0.753, 0.807, 0.580, 0.807, 0.694],
    ("DATABASEC", ""): [0.553, 0.577, 0.507, 0.577, 0.537],
}

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
