"""Shapes from files: what is solid, in which units, and what is refused."""

import tracemalloc

import numpy as np
import pytest
import trimesh

from payload_id.core.body.inertial import change_of_frame, from_mass_com_inertia
from payload_id.core.errors import InputError, UnknownNameError
from payload_id.files.shapes.mesh import read_shape

SIZES = np.array([0.2, 0.1, 0.05])
BOX = from_mass_com_inertia(1.0, np.zeros(3), np.diag(SIZES @ SIZES - SIZES**2) / 12)


def written(tmp_path, mesh, name="payload.ply"):
    path = tmp_path / name
    mesh.export(path)
    return path


@pytest.mark.parametrize("name", ["payload.ply", "payload.stl", "payload.obj"])
@pytest.mark.parametrize("filling", ["surface", "hull"])
def test_box_is_a_box_in_every_format(tmp_path, name, filling):
    shape = read_shape(written(tmp_path, trimesh.creation.box(SIZES), name), filling=filling)
    np.testing.assert_allclose(shape.solid, BOX, atol=1e-7)
    np.testing.assert_allclose(shape.box, SIZES, rtol=1e-6)
    assert len(shape.points) == 40  # 1000 cm3 at 0.04 per cm3
    assert (np.abs(shape.points) < SIZES / 2).all()


def test_inside_of_a_hollow_mesh_is_empty(tmp_path):
    outer, inner = trimesh.creation.box([0.2] * 3), trimesh.creation.box([0.16] * 3)
    inner.invert()
    shape = read_shape(written(tmp_path, trimesh.util.concatenate([outer, inner])))
    expected = (0.2**5 - 0.16**5) / (0.2**3 - 0.16**3) / 6
    np.testing.assert_allclose(shape.solid[[4, 7, 9]], expected, rtol=1e-6)
    assert (np.abs(shape.points).max(axis=1) > 0.05).all()


def test_mesh_turned_inside_out_is_the_same_solid(tmp_path):
    box = trimesh.creation.box(SIZES)
    box.invert()
    np.testing.assert_allclose(read_shape(written(tmp_path, box)).solid, BOX, atol=1e-7)


def test_point_cloud_is_the_solid_behind_it(tmp_path):
    parts = [trimesh.creation.box([0.3, 0.04, 0.04]), trimesh.creation.box([0.04, 0.2, 0.04])]
    parts[1].apply_translation([0.17, 0.0, 0.0])
    surface = np.vstack([part.sample(2500, seed=1) for part in parts])
    path = written(tmp_path, trimesh.PointCloud(surface))
    mass = np.array([part.volume for part in parts])
    expected = sum(
        from_mass_com_inertia(m, part.centroid, part.moment_inertia)
        for m, part in zip(mass, parts, strict=True)
    ) / sum(mass)
    shape, hull = read_shape(path), read_shape(path, filling="hull")
    np.testing.assert_allclose(shape.solid, expected, atol=0.05 * expected[9])
    assert np.abs(shape.solid - expected).max() < 0.3 * np.abs(hull.solid - expected).max()


def test_pose_moves_the_shape(tmp_path):
    pose = trimesh.transformations.rotation_matrix(0.7, [1, 2, 3])
    pose[:3, 3] = [0.1, -0.2, 0.3]
    path = written(tmp_path, trimesh.creation.box(SIZES))
    shape = read_shape(path, pose)
    expected = change_of_frame(pose[:3, :3], pose[:3, 3]) @ BOX
    np.testing.assert_allclose(shape.solid, expected, atol=1e-6)


def test_millimetres_are_refused_and_can_be_said(tmp_path):
    path = written(tmp_path, trimesh.creation.box(1000 * SIZES * 20))
    with pytest.raises(InputError, match=r"4000 x 2000 x 1000 m.*scale 0\.001"):
        read_shape(path)
    path = written(tmp_path, trimesh.creation.box(1000 * SIZES))
    np.testing.assert_allclose(read_shape(path, scale=0.001).solid, BOX, atol=1e-7)
    with pytest.raises(InputError, match="scale 1000"):
        read_shape(path, scale=1e-6)


def test_open_mesh_is_refused_and_has_a_hull(tmp_path):
    box = trimesh.creation.box(SIZES)
    box.update_faces(np.arange(len(box.faces)) > 1)
    path = written(tmp_path, box)
    with pytest.raises(InputError, match="not closed.*hull"):
        read_shape(path)
    np.testing.assert_allclose(read_shape(path, filling="hull").solid, BOX, atol=1e-7)


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        (np.zeros((3, 3)), "four points|flat"),
        (np.random.default_rng(0).uniform(size=(50, 3)) * [0.1, 0.1, 0], "flat"),
        (np.full((10, 3), np.nan), "no finite"),
    ],
)
def test_clouds_without_a_body_are_refused(tmp_path, points, reason):
    lines = "\n".join(" ".join(str(x) for x in row) for row in points)
    path = tmp_path / "cloud.xyz"
    path.write_text(lines)
    with pytest.raises(InputError, match=reason):
        read_shape(path)


def test_files_that_are_none_are_refused(tmp_path):
    with pytest.raises(InputError, match="no file"):
        read_shape(tmp_path / "absent.ply")
    empty = tmp_path / "empty.stl"
    empty.write_text("")
    with pytest.raises(InputError, match="cannot be read|no points"):
        read_shape(empty)
    dotted = tmp_path / "dotted.obj"
    dotted.write_text(
        "v 0 0 0\nv 0.1 0 0\nv 0 0.100\nv 0 0 0.1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n"
    )
    with pytest.raises(InputError, match="cannot be read|no points"):
        read_shape(dotted)
    with pytest.raises(UnknownNameError, match="surface"):
        read_shape(written(tmp_path, trimesh.creation.box(SIZES)), filling="voxels")


CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 0.1) for y in (0, 0.1) for z in (0, 0.1))


@pytest.mark.parametrize(
    ("name", "content", "part"),
    [
        ("cut.obj", CUBE, "no triangles"),
        ("nan.obj", CUBE.replace("v 0.1 0.1 0.1", "v 0.1 nan 0.1"), "1 of 8 points"),
        ("far.obj", CUBE.replace("v 0.1 0.1 0.1", "v 1e30 0.1 0.1"), "1 of 8 points"),
        ("index.obj", f"{CUBE}f 1 2 99\n", "damaged, or not what its name says"),
        ("comma.obj", CUBE.replace("0.1", "0,1"), "damaged, or not what its name says"),
        ("text.ply", "no mesh at all", "damaged, or not what its name says"),
        ("text.glb", "glTF" + "x" * 100, "damaged, or not what its name says"),
    ],
)
def test_damaged_meshes_are_named_without_words_of_the_reader(tmp_path, name, content, part):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=part):
        read_shape(tmp_path / name)


@pytest.mark.slow
def test_a_fine_mesh_costs_little_memory_and_gives_the_same_body(tmp_path):
    import trimesh

    shapes = []
    for level in (3, 6):  # 1280 and 81920 triangles
        trimesh.creation.icosphere(level, 0.05).export(tmp_path / "ball.stl")
        tracemalloc.start()
        shapes.append(read_shape(tmp_path / "ball.stl"))
        assert tracemalloc.get_traced_memory()[1] < 4e8
        tracemalloc.stop()
    coarse, fine = (shape.solid for shape in shapes)
    assert np.allclose(fine, coarse, atol=0.02 * np.abs(coarse).max())
    assert np.abs(np.linalg.norm(shapes[1].points, axis=1)).max() < 0.05
