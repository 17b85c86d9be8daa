"""Tests' own ROS domains."""

from ros_domain import next_domain


def test_workers_of_a_run_share_no_domain_and_none_has_ports_that_linux_hands_out(monkeypatch):
    monkeypatch.setenv("PYTEST_XDIST_TESTRUNUID", "one run")
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "2")
    domains = []
    for worker in ("gw0", "gw1"):
        monkeypatch.setenv("PYTEST_XDIST_WORKER", worker)
        domains.append({next_domain() for _ in range(60)})
    assert not domains[0] & domains[1] and len(domains[0] | domains[1]) == 100
    assert min(domains[0] | domains[1]) > 0 and max(domains[0] | domains[1]) <= 101
