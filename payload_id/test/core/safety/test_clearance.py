"""Proved distances against coal's, and against sampled motions."""

import coal
import numpy as np
import pytest

from arms import BRANCHED
from payload_id.core.arm.kinetics import frames
from payload_id.core.errors import InputError, ModelError
from payload_id.core.safety.clearance.arm_geometry import ArmGeometry, LinkBody
from payload_id.core.safety.clearance.body_table import BodyTable, Items, PairTable, Poses
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.clearance.scene import Scene
from payload_id.core.safety.clearance.separation import (
    motion_along,
    nearest_direction,
    reach,
    rough_distance,
    separation,
    unit,
)
from payload_id.files.robots.arm_geometry import description_geometry
from safety_scenes import branched, random_body

KINDS = ("box", "cylinder", "capsule", "sphere", "hull")


def coal_distance(one, other):
    result = coal.DistanceResult()
    pose = one.coal_pose(), other.coal_pose()
    return coal.distance(one.coal(), pose[0], other.coal(), pose[1], coal.DistanceRequest(), result)


def loose_items(bodies):
    """Return the items of all pairs of bodies that stand in the base frame."""
    pairs = np.array([(i, j) for i in range(len(bodies)) for j in range(i)])
    table = BodyTable.of(bodies, np.full(len(bodies), -1))
    none = np.zeros((2, len(pairs), 1))
    R = np.stack([table.rotation[pairs[:, k]] for k in (0, 1)])
    c = np.stack([table.translation[pairs[:, k]] for k in (0, 1)])
    rest = np.zeros((len(pairs), 1, 3))
    return table, Items(pairs[:, 0], pairs[:, 1], R, c, none, rest, rest)


def test_separation_is_coals_distance_along_its_direction_and_less_along_others():
    rng = np.random.default_rng(0)
    bodies = tuple(random_body(rng, KINDS[k % 5], rng.uniform(-1, 1, 3), str(k)) for k in range(20))
    table, items = loose_items(bodies)
    exact = np.array(
        [
            coal_distance(bodies[i], bodies[j])
            for i, j in zip(items.first, items.second, strict=True)
        ]
    )
    apart = exact > 0
    best = separation(table, items, nearest_direction(table, items))
    np.testing.assert_allclose(best[apart], exact[apart], atol=2e-4)
    assert (best <= exact + 1e-9)[apart].all()
    for _ in range(20):
        n = unit(rng.normal(size=(len(exact), 3)))
        assert (separation(table, items, n) <= exact + 1e-9)[apart].all()
    rough, direction = rough_distance(table, items)
    assert (rough <= exact)[apart].all()
    assert (separation(table, items, direction) <= exact + 1e-9)[apart].all()
    assert np.median((exact - rough)[apart]) < 0.06


def points_of(rng, body, count):
    """Return points of a body in the frame that carries it: its support points."""
    u = unit(rng.normal(size=(count, 3)))
    if body.kind == "hull":
        own = body.points[np.argmax(u @ body.points.T, axis=1)]
    else:
        flat = u[:, :2] / np.maximum(np.linalg.norm(u[:, :2], axis=1, keepdims=True), 1e-12)
        own = np.sign(u) * body.half + body.radius * u
        own[:, :2] += body.disc * flat
    return own @ body.rotation.T + body.translation


def test_no_point_moves_farther_than_the_bound():
    rng = np.random.default_rng(1)
    model, geometry = branched()
    pairs = geometry.pairs(model)
    joint = np.array([item.joint for item in geometry.bodies])
    table = BodyTable.of(tuple(item.body for item in geometry.bodies), joint)
    between = PairTable.of(model, joint, pairs)
    tightest = np.inf
    for spread in (0.02, 0.02, 0.3, 0.3):
        q = rng.uniform(-1, 1, model.n)
        delta = spread * rng.uniform(0, 1, model.n)
        poses = Poses.of(model, q[None], delta[None])
        index = np.arange(len(pairs))
        items = Items.of(table, between, poses, np.zeros(len(pairs), dtype=int), index)
        n = unit(rng.normal(size=(len(pairs), 3)))
        bounds = [motion_along(table, between, items, side, n) for side in (0, 1)]
        whole = [reach(table, between, items, side)[0] for side in (0, 1)]
        corners = q + delta * rng.choice([-1.0, 1.0], (60, model.n))
        for k, pair in enumerate(pairs):
            for side in (0, 1):
                moves = between.moves[k, side].astype(bool)
                body = geometry.bodies[pair[side]]
                points = points_of(rng, body.body, 30)
                turned = np.where(moves, corners, q)
                R, o = frames(model, np.vstack([q, turned]))
                place = points @ R[:, body.joint].transpose(0, 2, 1) + o[:, body.joint][:, None]
                step = place[1:] - place[0]
                assert np.linalg.norm(step, axis=2).max() <= whole[side][k] + 1e-12
                along = np.abs(step @ n[k]).max()
                assert along <= bounds[side][k] + 1e-12
                if moves.any() and along > 0:
                    tightest = min(tightest, bounds[side][k] / along)
    assert tightest < 1.3


def test_impossible_bodies_are_refused_by_name(tmp_path):
    model, geometry = branched()
    one, base = (ConvexBody.primitive(*each) for each in (("sphere", (1.0,)), ("box", (1, 1, 1))))
    flat = np.random.default_rng(0).normal(size=(9, 3)) * [1, 1, 0]
    primitives = (
        ("box", (0.1, 0.0, 0.1), (0, 0, 0), "along y"),
        ("sphere", (-0.1,), (0, 0, 0), "radius"),
        ("cylinder", (float("nan"), 1.0), (0, 0, 0), "radius"),
        ("box", (0.1, 0.1, 0.1), (0, np.nan, 0), "translation"),
        ("capsule", (0.1,), (0, 0, 0), "2 sizes"),
        ("cone", (0.1,), (0, 0, 0), "'cone'"),
    )
    for wrong, call, words in (
        *(
            (InputError, lambda k=k, x=x, t=t: ConvexBody.primitive(k, x, translation=t), words)
            for k, x, t, words in primitives
        ),
        (InputError, lambda: ConvexBody.hull(flat), "plane"),
        (InputError, lambda: ConvexBody.primitive("sphere", (1.0,), 2 * np.eye(3)), "rotation"),
        (InputError, lambda: Scene.of(model, geometry, [one, one]), "Two bodies"),
        (ModelError, lambda: description_geometry(BRANCHED, model, tmp_path), "post, sledge"),
        (InputError, lambda: ArmGeometry((LinkBody("base", -1, base),)), "moving link"),
    ):
        with pytest.raises(wrong, match=words):
            call()
