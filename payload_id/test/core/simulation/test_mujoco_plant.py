"""A simulation that becomes unstable says so in the log, and leaves no file behind."""

from __future__ import annotations

import logging

import mujoco

from payload_id.core.simulation.mujoco_plant import MujocoPlant

FALLING = "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>"


def test_what_mujoco_warns_of_is_logged_and_written_nowhere(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    model = mujoco.MjModel.from_xml_string(FALLING)
    state = MujocoPlant(model).data
    state.qvel[0] = 1e30
    with caplog.at_level(logging.WARNING):
        mujoco.mj_step(model, state)
    assert "unstable" in caplog.text and "MuJoCo" in caplog.text
    assert not list(tmp_path.iterdir())
