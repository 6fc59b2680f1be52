"""Pictures of cells coloured by genes: on the tissue, or in an embedding such as UMAP.

Above each picture stands the gene's rank and q-value. The best of many genes look patterned in noise, too; the q-value
says whether this one is more than that.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenselect._checks import whole
from eigenselect._typing import FloatArray
from eigenselect._warn import warn
from eigenselect.exceptions import counted, listed, shown
from eigenselect.io.errors import near_names
from eigenselect.matrix import Matrix
from eigenselect.matrix.annotated import annotated_matrix
from eigenselect.reporting.inputs import columns_of
from eigenselect.reporting.plotting.style import axes_or_new, grid_of_axes, short_name
from eigenselect.single_cell.containers import annotated_of, place_of
from eigenselect.single_cell.figures import finish
from eigenselect.single_cell.found_genes import found_genes, is_written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: embeddings that are drawn if none is named, the first that there is
EMBEDDINGS = ("X_umap", "X_tsne", "X_draw_graph_fa", "X_diffmap", "X_pca")
#: how axes are called, where scanpy writes them otherwise than the key
AXES = {"umap": "UMAP", "tsne": "tSNE", "pca": "PC"}
#: values beyond this share are drawn in the colour of the last one below, or a few cells would leave all others dark
BRIGHTEST = 0.99
#: dots of all cells together fill about this area, in points², of a picture this many inches wide; none is larger
INK, WIDTH, LARGEST_DOT = 22_000.0, 3.4, 60.0


def spatial(
    adata: Any,
    color: str | Sequence[str] | None = None,
    *,
    key: str = "spectral",
    n_genes: int = 4,
    basis: str = "spatial",
    layer: str | None = None,
    use_raw: bool = False,
    size: float | None = None,
    color_map: Any = None,
    cmap: Any = None,
    ncols: int = 4,
    modality: str | None = None,
    table_key: str | None = None,
    ax: Axes | None = None,
    show: bool | None = None,
    save: bool | str | os.PathLike[str] | None = None,
) -> Any:
    r"""Draw genes on the tissue, by default the best ones; each with its rank and q-value.

    Parameters
    ----------
    adata : AnnData, MuData or SpatialData
        With coordinates in ``.obsm``, and what a verb wrote under ``key``.
    color : str or list of str, optional
        Names of genes; None for the ``n_genes`` best ones.
    key : str, default="spectral"
        ``key_added`` of `pp.spectral_features`, or ``"moranI"`` or ``"gearyC"`` of `gr.spatial_autocorr`.
    n_genes : int, default=4
        How many genes, where ``color`` names none.
    basis : str, default="spatial"
        Key of the coordinates in ``.obsm``; of a MuData also ``"modality:key"``. The second one grows downwards, as in
        an image.
    layer : str, optional
        Layer that values are taken of; ``.X`` by default.
    use_raw : bool, default=False
        Whether values are those of ``adata.raw``.
    size : float, optional
        Area of a dot in points².
    color_map, cmap : str or Colormap, optional
        Two names of one thing, as in scanpy; viridis by default.
    ncols : int, default=4
        Pictures in a row.
    modality, table_key : str, optional
        Which part of a MuData, which table of a SpatialData.
    ax : Axes, optional
        Where to draw, for one gene; by default in a new figure.
    show : bool, optional
        False returns the Axes; None shows the figure where there is something to show it on, and else returns them.
    save : bool, str or path, optional
        A path, or an end of ``figures/spatial_{key}`` that starts with ``_``; True for that name itself.

    Returns
    -------
    Axes, list of Axes or None
        A list if there are several genes; None if the figure was shown. Nothing is written to ``adata``.

    See Also
    --------
    embedding : The same in an embedding of the cells.
    eigenselect.gr.spatial_autocorr : Finds genes that are clustered on the tissue.
    eigenselect.pp.spectral_features : Chooses genes on a spatial graph.

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> import eigenselect as es
    >>> line = np.eye(40, k=1) + np.eye(40, k=-1)
    >>> X = np.random.default_rng(0).gamma(1.0, size=(40, 3))
    >>> X[:20, 2] += 3  # the third gene fills half of a strip of cells
    >>> places = np.column_stack([np.arange(40.0), np.zeros(40)])
    >>> adata = anndata.AnnData(X, obsm={"spatial": places}, obsp={"spatial_connectivities": line})
    >>> es.gr.spatial_autocorr(adata)
    >>> ax = es.pl.spatial(adata, key="moranI", n_genes=1, show=False)
    >>> ax.get_title().split(", ")[0]
    '2\nrank 1 of 3'
    """
    owner = "pl.spatial"
    held = annotated_of(adata, modality=modality, table_key=table_key, owner=owner)
    plane = _plane(adata, held, basis, owner)
    _warn_about_slides(held, owner)
    genes = _genes(held, color, key, n_genes, annotated_matrix(held, owner, layer=layer, use_raw=use_raw), owner)
    places = _axes(len(genes), ncols, ax, owner)
    axes = _draw_all(plane, genes, size=size, cmap=_colours(color_map, cmap, owner), axes=places)
    for each in axes:
        each.set_aspect("equal")
        each.invert_yaxis()
        each.spines[:].set_visible(False)
    return finish(axes if len(axes) > 1 else axes[0], f"spatial_{key}", show=show, save=save)


def embedding(
    adata: Any,
    basis: str | None = None,
    *,
    color: str | Sequence[str] | None = None,
    key: str = "spectral",
    n_genes: int = 4,
    layer: str | None = None,
    use_raw: bool = False,
    size: float | None = None,
    color_map: Any = None,
    cmap: Any = None,
    ncols: int = 4,
    modality: str | None = None,
    table_key: str | None = None,
    ax: Axes | None = None,
    show: bool | None = None,
    save: bool | str | os.PathLike[str] | None = None,
) -> Any:
    """Draw genes in an embedding, by default the best ones; each with its rank and q-value.

    Parameters
    ----------
    adata : AnnData, MuData or SpatialData
        With coordinates in ``.obsm``, and what a verb wrote under ``key``.
    basis : str, optional
        ``"umap"`` or ``"X_umap"``, any other key of ``.obsm``, of a MuData also ``"modality:key"``. By default the
        first that there is of UMAP, t-SNE, a drawn graph, a diffusion map and PCA.
    color : str or list of str, optional
        Names of genes; None for the ``n_genes`` best ones.
    key : str, default="spectral"
        ``key_added`` of `pp.spectral_features`, or ``"moranI"`` or ``"gearyC"`` of `gr.spatial_autocorr`.
    n_genes : int, default=4
        How many genes, where ``color`` names none.
    layer : str, optional
        Layer that values are taken of; ``.X`` by default.
    use_raw : bool, default=False
        Whether values are those of ``adata.raw``.
    size : float, optional
        Area of a dot in points².
    color_map, cmap : str or Colormap, optional
        Two names of one thing, as in scanpy; viridis by default.
    ncols : int, default=4
        Pictures in a row.
    modality, table_key : str, optional
        Which part of a MuData, which table of a SpatialData.
    ax : Axes, optional
        Where to draw, for one gene; by default in a new figure.
    show : bool, optional
        False returns the Axes; None shows the figure where there is something to show it on, and else returns them.
    save : bool, str or path, optional
        A path, or an end of ``figures/{basis}_{key}`` that starts with ``_``; True for that name itself.

    Returns
    -------
    Axes, list of Axes or None
        A list if there are several genes; None if the figure was shown. Nothing is written to ``adata``.

    See Also
    --------
    spatial : The same on the tissue.
    eigenselect.plot.embedding : Samples of any table in the eigenvectors of a selector's graph.

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> import eigenselect as es
    >>> X = np.random.default_rng(0).gamma(1.0, size=(40, 3))
    >>> adata = anndata.AnnData(X, obsm={"X_umap": X[:, :2]})
    >>> axes = es.pl.embedding(adata, "umap", color=["0", "2"], show=False)  # no verb is needed for genes by name
    >>> [ax.get_title() for ax in axes], axes[0].get_xlabel()
    (['0', '2'], 'UMAP 1')
    """
    owner = "pl.embedding"
    held = annotated_of(adata, modality=modality, table_key=table_key, owner=owner)
    basis = _basis(held, basis, owner)
    plane = _plane(adata, held, basis, owner)
    genes = _genes(held, color, key, n_genes, annotated_matrix(held, owner, layer=layer, use_raw=use_raw), owner)
    places = _axes(len(genes), ncols, ax, owner)
    axes = _draw_all(plane, genes, size=size, cmap=_colours(color_map, cmap, owner), axes=places)
    name = basis.rpartition(":")[2].removeprefix("X_")
    for each in axes:
        each.set(xlabel=f"{AXES.get(name, name)} 1", ylabel=f"{AXES.get(name, name)} 2")
    return finish(axes if len(axes) > 1 else axes[0], f"{name}_{key}", show=show, save=save)


def _basis(adata: Any, basis: str | None, owner: str) -> str:
    """Return the key of an embedding: as given, with scanpy's ``X_``, or the first that there is."""
    if basis is not None:
        return f"X_{basis}" if basis not in adata.obsm and f"X_{basis}" in adata.obsm else basis
    found = next((name for name in EMBEDDINGS if name in adata.obsm), None)
    if found is None:
        raise ValueError(f"{owner}: .obsm has no embedding; run scanpy.tl.umap, or give basis= with a key of .obsm.")
    return found


def _plane(data: Any, adata: Any, basis: str, owner: str) -> FloatArray:
    """Return the first two coordinates of the cells."""
    found = np.asarray(place_of(data, adata, basis, "obsm", owner=owner).coordinates(), dtype=np.float64)
    if found.ndim != 2 or found.shape[1] < 2:
        raise ValueError(f"{owner}: .obsm[{shown(basis)}] must have two columns, got shape {found.shape}.")
    return found[:, :2]


def _warn_about_slides(adata: Any, owner: str) -> None:
    """Say that several slides would be drawn over one another."""
    slides = list(adata.uns.get("spatial", {}))
    if len(slides) > 1:
        warn(
            f"{owner}: this AnnData holds {counted(len(slides), 'slide')} ({listed(slides, 3)}), which are drawn over "
            "one another; give the cells of one."
        )


@dataclass(frozen=True)
class Gene:
    """One gene that is drawn: its values, and a title that says where it stands."""

    values: FloatArray
    title: str


def _genes(
    adata: Any, color: str | Sequence[str] | None, key: str, n_genes: int, table: Matrix, owner: str
) -> list[Gene]:
    """Return the genes that are drawn: the best ones of a verb, or those of a user, which need no verb."""
    if color is None:
        found = found_genes(adata, key, owner)
        places = found.order[: whole(n_genes, "n_genes", owner)]
        if not places.size:
            raise ValueError(f"{owner}: no gene of {shown(key)} has a score; give color= with names of genes.")
        columns = found.columns(table, owner)[places]
        titles = [f"{short_name(str(found.names[place]))}\n{found.evidence(place)}" for place in places]
    else:
        names = [color] if isinstance(color, str) else [str(name) for name in color]
        if not names:
            raise ValueError(f"{owner}: color must name at least one gene, got an empty list.")
        columns = np.array([_column(adata, table, name, owner) for name in names], dtype=np.intp)
        titles = [short_name(name) + _standing(adata, key, name) for name in names]
    values = columns_of(table, columns)  # only these are made dense
    return [Gene(column, title) for column, title in zip(values.T, titles, strict=True)]


def _column(adata: Any, table: Matrix, name: str, owner: str) -> int:
    """Find a gene by its name."""
    names = [str(other) for other in table.feature_names or ()]
    if names.count(name) == 1:
        return names.index(name)
    if name in names:
        raise ValueError(f"{owner}: {names.count(name)} genes are named {shown(name)}; call var_names_make_unique().")
    near = near_names(name, names)
    column = "it is a column of .obs, which scanpy.pl.embedding draws." if name in adata.obs else ""
    hint = f"did you mean {' or '.join(map(shown, near))}?" if near else column or "give names of .var_names."
    raise ValueError(f"{owner}: no gene is named {shown(name)}; {hint}")


def _standing(adata: Any, key: str, name: str) -> str:
    """Return where a gene of a user stands, as a second line, if a verb judged it."""
    if not is_written(adata, key):
        return ""
    found = found_genes(adata, key, "")
    places = np.flatnonzero(found.names == name)
    return f"\n{found.evidence(int(places[0]))}" if places.size == 1 else "\nnot judged"


def _draw_all(plane: FloatArray, genes: list[Gene], *, size: float | None, cmap: Any, axes: list[Axes]) -> list[Axes]:
    """Draw one picture for each gene."""
    area = min(INK / max(len(plane), 1), LARGEST_DOT) if size is None else size
    for ax, gene in zip(axes, genes, strict=True):
        _draw(ax, plane, gene.values, area, cmap)
        ax.set_title(gene.title, fontsize=9)
        ax.set(xticks=[], yticks=[])
    return axes


def _colours(color_map: Any, cmap: Any, owner: str) -> Any:
    """Return the colours that were given under either name."""
    if color_map is not None and cmap is not None:
        raise ValueError(f"{owner}: color_map and cmap are one thing; give one of them.")
    return "viridis" if color_map is None and cmap is None else color_map if cmap is None else cmap


def _axes(count: int, ncols: int, ax: Axes | None, owner: str) -> list[Axes]:
    """Return a place for each gene: that of the user, or those of a new figure."""
    if ax is not None and count > 1:
        raise ValueError(f"{owner}: ax is for one gene, got {count}; give color= with one name, or no ax.")
    if count == 1:
        return [axes_or_new(ax)]
    across = min(count, whole(ncols, "ncols", owner))
    return grid_of_axes(count, across, width=WIDTH)


def _draw(ax: Axes, plane: FloatArray, values: FloatArray, area: float, cmap: Any) -> None:
    """Draw cells, the largest values on top, with a bar that says what the colours are."""
    order = np.argsort(values, kind="stable")
    low, high, top = float(values.min()), float(np.quantile(values, BRIGHTEST, method="lower")), float(values.max())
    high = high if high > low else top
    across, up = plane[order].T
    dots = ax.scatter(
        across, up, c=values[order], s=area, cmap=cmap, vmin=low, vmax=high, lw=0, rasterized=len(plane) > 10_000
    )
    ax.figure.colorbar(dots, ax=ax, shrink=0.7, extend="max" if top > high else "neither")
