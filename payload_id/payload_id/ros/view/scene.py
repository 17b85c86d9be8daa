"""The 3D scene of one page: arm, payload, obstacles, and the motion to come as a ghost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation
from visualization_msgs.msg import MarkerArray

from ...core.arm.centre_of_mass import com_interval
from ...core.arrays import Array
from ...core.body.equivalent_ellipsoid import equivalent_ellipsoid
from ...core.body.four_masses import four_masses
from ...core.body.inertial import is_physical, mass_com_inertia
from ...core.identification.estimate import Estimate
from ...core.safety.clearance.convex_body import ConvexBody
from ...files.robots.arm_frames import ArmFrames, LinkFrame
from ..common.colours import BALL, GRAVITY, THINNEST, VERDICT, Colour
from .bodies import Triangles, body_triangles


class Arm:
    """Links of one arm in the scene, each a frame on the frame of the link before it."""

    def __init__(
        self,
        scene: Any,
        root: str,
        frames: ArmFrames,
        shapes: Mapping[str, Sequence[Triangles]],
        colour: Colour,
        opacity: float | None,
    ) -> None:
        """Add the arm, all joints at zero.

        Args:
            scene: Of a page.
            root: Name of its first node.
            frames: Kinematics.
            shapes: Surfaces of the links.
            colour: Of all links.
            opacity: None: opaque.
        """
        self.root = scene.add_frame(root, show_axes=False)  # hides all of it
        self._frames: dict[str, Any] = {}
        self.paths = {frames.base: f"{root}/{frames.base}"}
        scene.add_frame(self.paths[frames.base], show_axes=False)
        waiting = [*frames.fixed(), *frames.moving({})]
        while waiting:
            frame = next(x for x in waiting if x.parent in self.paths)
            waiting.remove(frame)
            self.paths[frame.child] = f"{self.paths[frame.parent]}/{frame.child}"
            self._frames[frame.child] = scene.add_frame(
                self.paths[frame.child],
                show_axes=False,
                position=frame.translation,
                wxyz=wxyz(frame.quaternion),
            )
        for link, path in self.paths.items():
            for k, shape in enumerate(shapes.get(link, ())):
                scene.add_mesh_simple(
                    f"{path}/shape_{k}",
                    shape.vertices.astype(np.float32),
                    shape.faces,
                    color=colour.value,
                    opacity=opacity,
                    flat_shading=False,
                    side="double",
                )

    def place(self, moving: Iterable[LinkFrame]) -> None:
        """Put links where they are."""
        for frame in moving:
            handle = self._frames[frame.child]
            handle.position = frame.translation
            handle.wxyz = wxyz(frame.quaternion)


class Changing:
    """Things in a scene, which are added anew when what they show is another."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self._source: object = None
        self._handles: list[Any] = []

    def show(self, source: object, added: Iterable[Any]) -> None:
        """Show things in place of those before; unless these show the same, `added` adds them."""
        if source is not self._source:
            for handle in self._handles:
                handle.remove()
            self._source, self._handles = source, [*added]


class Scene:
    """What one page shows.

    Attributes:
        ghost: The motion to come, where there is one.
    """

    def __init__(
        self,
        scene: Any,
        frames: ArmFrames,
        shapes: Mapping[str, Sequence[Triangles]],
        payload_frame: str,
    ) -> None:
        """Add arm and ghost, and nothing else.

        Args:
            scene: Of a page (viser).
            frames: Kinematics.
            shapes: Surfaces of the links.
            payload_frame: Link that carries the payload.
        """
        self._scene = scene
        scene.set_up_direction("+z")
        scene.add_grid(
            "/ground", width=3.0, height=3.0, cell_size=0.1, section_size=0.5, plane_opacity=0.0
        )
        self._arm = Arm(scene, "/arm", frames, shapes, Colour.GREY, None)
        self.ghost = Arm(scene, "/ghost", frames, shapes, Colour.ORANGE, 0.35)
        self.ghost.root.visible = False
        self._at = f"{self._arm.paths[payload_frame]}/payload"
        self._payload, self._obstacles, self._swept = Changing(), Changing(), Changing()
        self._gravity = scene.add_arrows(
            f"{self._at}/gravity",
            np.array([[[0.0, 0.0, 0.0], [0.0, 0.0, -GRAVITY]]], dtype=np.float32),
            (0, 0, 0),
            shaft_radius=0.004,
            head_radius=0.011,
            head_length=0.03,
            visible=False,
        )

    def place(self, moving: Iterable[LinkFrame], gravity: Array) -> None:
        """Put the arm where it is.

        Args:
            moving: Its links.
            gravity: In the payload frame, shape (3,) [m/s2].
        """
        self._arm.place(moving)
        self._gravity.wxyz = _along(gravity)

    def show_payload(self, estimate: Estimate | None) -> None:
        """Show the payload of an estimate, or none."""
        self._payload.show(estimate, self._parts(estimate))

    def show_obstacles(self, bodies: Sequence[ConvexBody]) -> None:
        """Show these obstacles and no others, the ground as a plane."""
        shapes = map(body_triangles, bodies)
        self._obstacles.show(bodies, self._surfaces("obstacles", shapes, Colour.GREY, 0.5))

    def show_swept(self, markers: MarkerArray | None) -> None:
        """Show what a motion sweeps, or take it away."""
        points = (
            np.array([[p.x, p.y, p.z] for p in marker.points])
            for marker in (() if markers is None else markers.markers)
            if marker.ns.startswith("swept") and len(marker.points) >= 3
        )
        shapes = (Triangles(x, np.arange(len(x)).reshape(-1, 3).astype(np.uint32)) for x in points)
        self._swept.show(markers, self._surfaces("swept", shapes, Colour.ORANGE, 0.08))

    def _parts(self, estimate: Estimate | None) -> Iterator[Any]:
        """Add ellipsoid and four masses of that inertia, and the box of the centre of mass."""
        self._gravity.visible = False
        if estimate is None or not (estimate.mass_identified and estimate.phi[0] > 0.0):
            return
        mass, com = float(estimate.phi[0]), estimate.phi[1:4] / estimate.phi[0]
        self._gravity.visible, self._gravity.position = True, com
        colour = VERDICT[estimate.status].value
        moments, axes = np.linalg.eigh(mass_com_inertia(estimate.phi)[2])
        size = equivalent_ellipsoid(mass, moments)
        if np.isfinite(size).all() and is_physical(estimate.phi):
            turn = Rotation.from_matrix(axes * np.sign(np.linalg.det(axes)))
            yield self._scene.add_icosphere(
                f"{self._at}/inertia", 1.0, colour, opacity=0.55, subdivisions=4, position=com,
                scale=tuple(np.maximum(size, THINNEST)), wxyz=wxyz(turn.as_quat()),
            )  # fmt: skip
            for k, (part, place) in enumerate(zip(*four_masses(estimate.phi), strict=True)):
                yield self._scene.add_icosphere(
                    f"{self._at}/mass_{k}", 0.5 * BALL * np.cbrt(part), colour, position=place
                )
        if (box := com_interval(estimate.lower, estimate.upper)) is not None:
            yield self._scene.add_box(
                f"{self._at}/centre_of_mass",
                colour,
                np.maximum(box[1] - box[0], THINNEST),
                wireframe=True,
                position=(box[0] + box[1]) / 2,
            )

    def _surfaces(
        self, name: str, shapes: Iterable[Triangles], colour: Colour, opacity: float
    ) -> Iterator[Any]:
        """Add surfaces."""
        for k, shape in enumerate(shapes):
            yield self._scene.add_mesh_simple(
                f"/{name}/{k}", shape.vertices.astype(np.float32), shape.faces, color=colour.value,
                opacity=opacity, side="double", cast_shadow=False,
            )  # fmt: skip


def _along(gravity: Array) -> Array:
    """Return w, x, y, z of a rotation that turns -z into the direction of gravity."""
    direction = gravity / np.linalg.norm(gravity)
    turn, _ = Rotation.align_vectors(direction[None], np.array([[0.0, 0.0, -1.0]]))
    return wxyz(turn.as_quat())


def wxyz(quaternion: Array) -> Array:
    """Return x, y, z, w in the order w, x, y, z."""
    return np.roll(np.asarray(quaternion, dtype=float), 1)
