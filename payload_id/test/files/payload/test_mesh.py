"""Shapes from files: what is solid, in which units, and what is refused."""

import numpy as np
import pytest
import trimesh

from payload_id.core.body.inertial import change_of_frame, from_mass_com_inertia
from payload_id.core.errors import InputError
from payload_id.files.payload.mesh import read_shape

SIZES = np.array([0.2, 0.1, 0.05])
BOX = from_mass_com_inertia(1.0, np.zeros(3), np.diag(SIZES @ SIZES - SIZES**2) / 12)
CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 0.1) for y in (0, 0.1) for z in (0, 0.1))


@pytest.fixture
def read(tmp_path):
    """Return a function that writes a mesh, or a text, and reads it."""

    def read_mesh(mesh, *pose, name="payload.ply", **options):
        if isinstance(mesh, str):
            (tmp_path / name).write_text(mesh)
        else:
            mesh.export(tmp_path / name)
        return read_shape(tmp_path / name, *pose, **options)

    return read_mesh


@pytest.mark.parametrize("filling", ["surface", "hull"])
def test_box_is_a_box_in_every_format_and_inside_out(read, filling):
    inverted = trimesh.creation.box(SIZES)
    inverted.invert()
    for name in ("payload.ply", "payload.stl", "payload.obj"):
        for box in (trimesh.creation.box(SIZES), inverted):
            shape = read(box, name=name, filling=filling)
            np.testing.assert_allclose(shape.solid, BOX, atol=1e-7)
            np.testing.assert_allclose(shape.box, SIZES, rtol=1e-6)
            assert len(shape.points) == 40  # 1000 cm3 at 0.04 per cm3
            assert (np.abs(shape.points) < SIZES / 2).all()


def test_inside_of_a_hollow_mesh_is_empty(read):
    outer, inner = trimesh.creation.box([0.2] * 3), trimesh.creation.box([0.16] * 3)
    inner.invert()
    shape = read(trimesh.util.concatenate([outer, inner]))
    expected = (0.2**5 - 0.16**5) / (0.2**3 - 0.16**3) / 6
    np.testing.assert_allclose(shape.solid[[4, 7, 9]], expected, rtol=1e-6)
    assert (np.abs(shape.points).max(axis=1) > 0.05).all()


def test_point_cloud_is_the_solid_behind_it(read):
    parts = [trimesh.creation.box([0.3, 0.04, 0.04]), trimesh.creation.box([0.04, 0.2, 0.04])]
    parts[1].apply_translation([0.17, 0.0, 0.0])
    cloud = trimesh.PointCloud(np.vstack([part.sample(2500, seed=1) for part in parts]))
    bodies = [from_mass_com_inertia(x.volume, x.centroid, x.moment_inertia) for x in parts]
    expected = sum(bodies) / sum(part.volume for part in parts)
    shape, hull = read(cloud), read(cloud, filling="hull")
    np.testing.assert_allclose(shape.solid, expected, atol=0.05 * expected[9])
    assert np.abs(shape.solid - expected).max() < 0.3 * np.abs(hull.solid - expected).max()


def test_a_pose_moves_the_shape_and_a_scale_says_its_unit(read):
    pose = trimesh.transformations.rotation_matrix(0.7, [1, 2, 3])
    pose[:3, 3] = [0.1, -0.2, 0.3]
    expected = change_of_frame(pose[:3, :3], pose[:3, 3]) @ BOX
    found = read(trimesh.creation.box(1000 * SIZES), pose, scale=0.001)
    np.testing.assert_allclose(found.solid, expected, atol=1e-6)


FLAT = np.random.default_rng(0).uniform(size=(50, 3)) * [0.1, 0.1, 0]
REFUSED = [
    ("cut.obj", CUBE, "no triangles"),
    ("nan.obj", CUBE.replace("v 0.1 0.1 0.1", "v 0.1 nan 0.1"), "1 of 8 points"),
    ("far.obj", CUBE.replace("v 0.1 0.1 0.1", "v 1e30 0.1 0.1"), "1 of 8 points"),
    ("index.obj", f"{CUBE}f 1 2 99\n", "index.obj"),
    ("comma.obj", CUBE.replace("0.1", "0,1"), "comma.obj"),
    ("text.ply", "no mesh at all", "text.ply"),
    ("text.glb", "glTF" + "x" * 100, "text.glb"),
    ("empty.stl", "", "empty.stl"),
    *(
        ("cloud.xyz", "\n".join(" ".join(map(str, row)) for row in points), words)
        for points, words in (
            (np.zeros((3, 3)), "four points|flat"), (FLAT, "flat"),
            (np.full((10, 3), np.nan), "no finite"),
        )
    ),
]  # fmt: skip


def test_what_is_no_body_is_refused_by_its_file(read, tmp_path):
    for name, content, words in REFUSED:
        with pytest.raises(InputError, match=words):
            read(content, name=name)
    box = trimesh.creation.box(SIZES)
    for mesh, options, words in (
        (trimesh.creation.box(20_000 * SIZES), {}, r"scale 0\.001"),
        (trimesh.creation.box(1000 * SIZES), {"scale": 1e-6}, "scale 1000"),
        (box, {"filling": "voxels"}, "surface"),
    ):
        with pytest.raises(InputError, match=words):
            read(mesh, **options)
    box.update_faces(np.arange(len(box.faces)) > 1)
    with pytest.raises(InputError, match="not closed.*hull"):
        read(box)
    np.testing.assert_allclose(read(box, filling="hull").solid, BOX, atol=1e-7)
    with pytest.raises(InputError, match="no file"):
        read_shape(tmp_path / "absent.ply")
