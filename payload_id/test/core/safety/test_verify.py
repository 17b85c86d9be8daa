"""`payload-id verify`: saved certificates, whole and tampered with."""

import json
from dataclasses import replace

import numpy as np
import pytest

from payload_id.cli.main import main
from payload_id.core.safety.certificate.certificate import Certificate, digest_of
from payload_id.core.safety.certificate.certify import certify
from payload_id.core.safety.certificate.limit_use import limit_use
from payload_id.core.safety.clearance.arm_geometry import AllowedContact
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.margins.margin import CLEARANCES
from payload_id.core.safety.tube.tracking_tube import ROBUST, TrackingTube
from payload_id.files.cells.cell_file import Cell
from payload_id.files.runs.certificate_file import load_certificate, save_certificate
from payload_id.files.runs.claims import claims
from safety_scenes import gen3, gen3_case, motion


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return the path of a saved certificate."""
    robot, _ = gen3()
    case = gen3_case((ConvexBody.ground(-0.05),))
    path = motion(robot.home, np.random.default_rng(0))
    certificate = certify(case, path)
    assert isinstance(certificate, Certificate), certificate
    folder = tmp_path_factory.mktemp("certificates")
    cell = folder / "cell.yaml"
    cell.write_text("name: bench\nclearance: 0.005\nfloor: -0.05\n")
    return save_certificate(folder / "motion.json", certificate, case, path, robot, str(cell))


def changed(saved, tmp_path, edit, honest):
    """Return a copy with something changed, and the file's digest made to fit if `honest`."""
    content = json.loads(saved.read_text())
    edit(content)
    rest = {key: value for key, value in content.items() if key != "digest"}
    if honest:
        content["digest"] = digest_of(rest)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(content))
    return path


def test_a_certificate_survives_saving(saved):
    found = load_certificate(saved)
    assert found.intact and found.robot == "kinova_gen3"
    _, model = gen3()
    assert found.case(model).digests == {
        name: digest for name, digest in found.certificate.digests.items() if name != "trajectory"
    }
    assert digest_of(found.trajectory.to_dict()) == found.certificate.digests["trajectory"]


@pytest.mark.slow
def test_verify_says_verified(saved, capsys):
    assert main(["verify", str(saved), "--samples", "50", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verified"] and not found["differences"]
    assert all(x > 0 for x in found["sampled"].values())
    rests_on = {claim["subject"]: claim for claim in found["claims"]}
    assert rests_on["limits of speeds in space"]["certified"] == "none"
    assert rests_on["volume of payload and tool"]["certified"].endswith(" mm)")
    assert main(["verify", str(saved), "--samples", "5"]) == 0
    assert "VERIFIED" in capsys.readouterr().out


def test_use_of_limits_over_time_is_what_the_certificate_says(saved):
    found, (_, model) = load_certificate(saved), gen3()
    use = limit_use(found.case(model), found.trajectory)
    for name, used in use.joints.items():
        margin = found.certificate.margin(name)
        if margin is None:
            assert np.isnan(used).all()
            continue
        assert np.nanmax(used) == pytest.approx(margin.used, abs=0.06 if name == "torque" else 1e-9)
    assert set(use.clearance) == {m.constraint for m in found.certificate.margins} & {*CLEARANCES}
    for group, left in use.clearance.items():
        # Instants leave at least what is proved for all times.
        assert left.min() >= found.certificate.margin(group).value - 1e-6
        assert left.min() <= found.certificate.margin(group).value + 0.02


def test_a_proof_from_weaker_assumptions_than_stated_is_not_verified(saved, tmp_path):
    found, (robot, model) = load_certificate(saved), gen3()
    case, path, cell = found.case(model), found.trajectory, str(saved.parent / "cell.yaml")
    exact, box, tube = TrackingTube.exact(7), case.box, case.tube
    for change, subject in (
        ({}, ()),
        ({"tube": exact}, "tracking error"),
        ({"tube": replace(exact, kind=ROBUST)}, ("tracking", "rotor")),
        ({"clearance": 0.0}, "clearance"),
        ({"obstacles": ()}, "surroundings"),
        ({"limits_name": "my own"}, "limits"),  # as the certificate says, too
        ({"box": known(box, "links")}, "links' parameters"),
        ({"box": known(box, "coulomb")}, "Coulomb friction"),
        ({"box": known(box, "viscous")}, "viscous friction"),
        ({"box": known(box, "rotor_inertia")}, "rotor inertia"),
        ({"geometry": touching(case.geometry)}, "allowed contact"),
        ({"box": replace(box, stiction_velocity=0.0)}, "speed below which friction"),
        ({"tube": replace(tube, reference_velocity=np.zeros(7))}, "tracking error of the velocity"),
        ({"turns": {"joint_1": 1}}, "turn of joint_1"),  # no cable there
    ):
        weak = replace(case, **change)
        file = save_certificate(
            tmp_path / "motion.json",
            replace(found.certificate, limits=weak.limits_name),
            weak,
            path,
            robot,
            cell,
        )
        said = claims(load_certificate(file), robot, model, Cell.load(cell))
        wrong = {claim.subject for claim in said if claim.holds is False}
        assert bool(wrong) is bool(change) and all(x.startswith(subject) for x in wrong), wrong


def known(box, name):
    """Return a box in which something is known exactly."""
    middle = box.interval(name)[0]
    return replace(box, **{f"{name}_lower": middle, f"{name}_upper": middle})


def touching(geometry):
    """Return a geometry in which the payload may touch a link."""
    contact = AllowedContact(("payload", "forearm_link"), "who knows")
    return geometry.with_allowed([contact])


def test_what_is_around_the_arm_must_be_known(saved, tmp_path, capsys):
    def edit(content):
        content["cell"] = ""

    path = changed(saved, tmp_path, edit, honest=True)
    assert main(["verify", str(path), "--samples", "5"]) == 1
    assert "not known what is around the arm" in " ".join(capsys.readouterr().out.split())
    assert main(["verify", str(path), "--samples", "5", "--cell", "none, a test"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "to be judged" in shown and "signed" in shown
