"""The life cycle of all nodes by messages: what configuring checks, what being inactive leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from payload_id_msgs.msg import PayloadEstimate
from payload_id_msgs.srv import GetEstimate, Save
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from std_srvs.srv import Trigger

from harness import LATCHED, NodeProcess, Observer
from managed import change, state
from promises.nodes import next_domain

DOMAIN = next_domain()
ALL = Path(__file__).parents[2] / "support" / "all_nodes.py"
NODES = (
    "payload_sampler",
    "payload_estimator",
    "payload_planner",
    "payload_bridge",
)
# Parameter that names a node's file; one that is wrong, the right one, and another one.
ROBOT = ("robot_file", "no_such_arm", "kinova_gen3", "xarm7")
OWN_FILE = {"payload_team": ("team_file", "no_such_team", "omnids", "other")}


def set_text(observer: Observer, node: str, name: str, value: str):
    changed = [Parameter(name, value=value).to_parameter_msg()]
    return observer.call(SetParameters, f"/{node}/set_parameters", parameters=changed).results[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("managed")


@pytest.fixture(scope="module")
def nodes(folder):
    process = NodeProcess(
        str(ALL), DOMAIN, folder / "nodes.log", autostart="false", cell="none, a test", rate=100.0,
        bag=folder / "bag", recordings_folder=folder, runs_folder=folder,
    )  # fmt: skip
    yield process
    assert process.stop() == 0, process.printed


@pytest.fixture(scope="module")
def observer(nodes):
    one = Observer(DOMAIN)
    yield one
    one.close()


@pytest.mark.slow
def test_configuring_checks_and_says_what_is_wrong(observer, nodes):
    for node in (*NODES, "payload_team"):
        file, wrong, right, other = OWN_FILE.get(node, ROBOT)
        assert state(observer, node) == "unconfigured"
        assert not change(observer, node, "activate")  # not from here; and that is answered
        assert set_text(observer, node, file, wrong).successful
        assert not change(observer, node, "configure")
        status = observer.diagnosis(wrong)
        assert status.level == DiagnosticStatus.ERROR and status.name.startswith(node)
        assert nodes.alive and state(observer, node) == "unconfigured"
        assert set_text(observer, node, file, right).successful
        assert change(observer, node, "configure") and state(observer, node) == "inactive"
        refused = set_text(observer, node, file, other)
        assert not refused.successful and f"ros2 lifecycle set /{node} cleanup" in refused.reason
        status = observer.diagnosis(f"ros2 lifecycle set /{node} activate")
        assert status.level == DiagnosticStatus.STALE
        assert {x.key: x.value for x in status.values}["lifecycle"] == "inactive"


@pytest.mark.slow
def test_a_run_ends_with_its_data_kept_and_recordings_are_of_active_times(observer, folder):
    assert change(observer, "payload_estimator", "activate")
    answer = observer.call(Trigger, "/payload_estimator/start")
    assert not answer.success and "ros2 lifecycle set /payload_sampler" in answer.message
    assert not (folder / "bag").exists()
    assert change(observer, "payload_sampler", "activate")
    assert observer.call(Trigger, "/payload_estimator/start").success
    estimates = observer.listen(PayloadEstimate, "/payload_estimator/payload", LATCHED)
    observer.wait(lambda: estimates and estimates[-1].windows > 5, "estimates")
    assert not change(observer, "payload_estimator", "cleanup")  # only once it is inactive
    assert change(observer, "payload_estimator", "deactivate")
    ended = estimates[-1]
    assert not observer.call(Save, "/payload_estimator/save", path="kept").success
    assert change(observer, "payload_estimator", "activate")
    assert observer.call(Save, "/payload_estimator/save", path="kept").success
    assert (folder / "kept").is_dir()
    observer.wait(lambda: estimates[-1].windows >= ended.windows, "the same estimate")
    assert change(observer, "payload_sampler", "deactivate")
    assert (folder / "bag" / "metadata.yaml").is_file()
    assert change(observer, "payload_sampler", "activate") and (folder / "bag_2").is_dir()


@pytest.mark.slow
def test_a_node_that_was_cleaned_up_takes_other_parameters_and_works(observer, nodes):
    node = "payload_estimator"
    assert change(observer, node, "deactivate") and change(observer, node, "cleanup")
    services = dict(observer.node.get_service_names_and_types_by_node(node, "/"))
    assert f"/{node}/start" not in services and f"/{node}/change_state" in services
    assert set_text(observer, node, "estimator", "ols").successful
    assert change(observer, node, "configure") and change(observer, node, "activate")
    assert observer.call(GetEstimate, f"/{node}/get_estimate").estimate.estimator == "ols"
    assert change(observer, node, "shutdown") and state(observer, node) == "finalized"
    assert not change(observer, node, "configure") and nodes.alive
