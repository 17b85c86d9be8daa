"""A payload file: what is known of a payload, as named statements, each of a kind.

A kind is one of the catalogue (`core.knowledge`), or `shape`: a mesh or point cloud that the
payload lies within, of which there is at most one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, RootModel, create_model
from scipy.spatial.transform import Rotation

from ...core.body.ellipsoid_union import MOST_SLABS
from ...core.body.shape import DENSITY, Shape
from ...core.errors import InputError
from ...core.knowledge.catalogue import CATALOGUE, knowledge_of
from ...core.knowledge.knowledge import NOTHING, Knowledge
from ..configuration.model import Model, OfCore, Vector, key, model_of
from ..configuration.read_model import read_model
from .mesh import read_shape

KIND = "kind"  # the key that chooses a kind of statement
FARTHEST = 100.0  # [m] of a mesh's frame from the payload's
REMEMBERED = 4  # shapes kept in memory
Near = Annotated[float, Field(ge=-FARTHEST, le=FARTHEST)]


class MeshKeys(Model):
    """A mesh or point cloud that the payload lies within."""

    kind: Literal["shape"] = key("this kind")
    file: str = key("mesh or point cloud (.stl, .ply, .obj)")
    filling: Literal["surface", "hull"] = key(
        "what is solid: what its surface encloses, or its convex hull", default="surface"
    )
    scale: float = key("metres per unit of the file: 0.001 for mm", "m", 1.0, ge=1e-6, le=1e3)
    position: tuple[Near, Near, Near] = key(
        "of the file's frame in the payload frame", "m", default=(0.0, 0.0, 0.0)
    )
    rpy: Vector = key(
        "roll, pitch, yaw of the file's frame, as in URDF", "rad", default=(0.0, 0.0, 0.0)
    )
    density: float = key(
        "point masses in a cubic centimetre, for estimators", "1/cm3", DENSITY, ge=1e-4, le=100.0
    )
    homogeneity: float = key(
        "how strongly point_masses draws these masses to their mean: they typically depart from it "
        "by it, divided by this; raise it for a payload of one material", "-", 1.0, ge=1e-3, le=1e3,
    )  # fmt: skip
    ellipsoids: int = key(
        "whose union contains the payload: with more than one it is cut along its longest axis",
        default=1, ge=1, le=MOST_SLABS,
    )  # fmt: skip


def _statement(kind: str) -> Any:
    """Return the model of a kind of statement: the numbers of its class, and its name."""
    name: Any = Literal[kind]
    keys: dict[str, Any] = {KIND: (name, key("this kind"))}
    model = model_of(CATALOGUE[kind])
    return create_model(model.__name__, __base__=model, **keys)


Statement: Any = reduce(or_, map(_statement, CATALOGUE), MeshKeys)


class PayloadKeys(RootModel[Any]):
    """A payload file: statements by their names."""

    root: dict[str, Annotated[Statement, Field(discriminator=KIND)]]


@dataclass(frozen=True)
class KnownOfPayload:
    """What a payload file says.

    Attributes:
        shape: What the payload lies within; None: nothing is known of it.
        knowledge: The other statements.
    """

    shape: Shape | None = None
    knowledge: Knowledge = NOTHING


def read_payload(path: str | Path) -> KnownOfPayload:
    """Return what a YAML file states of a payload.

    Every key is the name of a statement; its section holds `kind` and the keys of that kind.

    Raises:
        ConfigurationError: A file is missing, or an entry is unknown, missing or impossible.
    """
    keys, source = read_model(path, PayloadKeys, "payload file")
    shape, known = None, dict[str, Any]()
    for name, found in keys.root.items():
        if not isinstance(found, MeshKeys):
            known[name] = OfCore.made(CATALOGUE[found.kind], found)
            continue
        if shape is not None:
            raise source.refuse("is a second shape; state one, of all of the payload.", name)
        mesh = source.path(found.file, name, "file")
        try:
            shape = _read(found, mesh, mesh.stat().st_mtime_ns if mesh.exists() else 0)
        except InputError as error:
            raise source.refuse(f"cannot be used: {error}", name, "file") from error
    try:
        return KnownOfPayload(shape, knowledge_of(known))
    except InputError as error:
        raise source.refuse(f"cannot be used: {error}", *known) from error


@lru_cache(maxsize=REMEMBERED)
def _read(keys: MeshKeys, path: Path, changed_ns: int) -> Shape:
    """Return the shape of a file of that age: points of a fine mesh take a while."""
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("xyz", keys.rpy).as_matrix()
    pose[:3, 3] = keys.position
    shape = read_shape(path, pose, keys.filling, keys.density, keys.scale, keys.ellipsoids)
    return replace(shape, homogeneity=keys.homogeneity)
