"""Studies from Python: a dict in, a table out, resumed without loss."""

import numpy as np
import pytest
import softdock

STUDY = {
    "name": "small",
    "runs": 4,
    "seed": 1,
    "sampling": "sobol",
    "scenario": "default",
    "base": {"legs": {"elements": 2}, "duration_s": 0.1},
    "vary": [
        {"key": "misalignment.pitch_deg", "distribution": "uniform", "min": 0.0, "max": 8.0},
        {"key": "closing_speed_m_s", "distribution": "uniform", "min": 0.03, "max": 0.06},
    ],
}


def test_a_study_is_a_table(tmp_path):
    told = []
    done = softdock.study(STUDY, tmp_path / "s", threads=1, progress=lambda *now: told.append(now))
    assert len(done) == 4 and done.failed == 0 and told[-1] == (4, 4, 0)
    table = done.table
    pitch = table["misalignment.pitch_deg"]
    assert isinstance(pitch, np.ndarray) and pitch.shape == (4,) and pitch.max() <= 8.0
    assert set(table["status"]) == {"ok"}
    again = softdock.study(STUDY, tmp_path / "s", threads=1, resume=True)
    assert len(again) == 4
    assert open(done.report(), encoding="utf-8").read().startswith("<!doctype html>")
    pandas = pytest.importorskip("pandas")
    assert isinstance(done.to_pandas(), pandas.DataFrame)
    pytest.importorskip("pyarrow")
    assert done.to_arrow().num_rows == 4


def test_a_run_of_a_study_is_the_docking_itself(tmp_path):
    done = softdock.study(STUDY, tmp_path / "s", threads=1, runs=1)
    table = done.table
    single = softdock.dock(
        "default",
        **{
            "legs.elements": 2,
            "duration_s": 0.1,
            "solver.threads": 1,
            "misalignment.pitch_deg": table["misalignment.pitch_deg"][0],
            "closing_speed_m_s": table["closing_speed_m_s"][0],
        },
    )
    assert single["peak_contact_force_n"] == table["peak_contact_force_n"][0]


def test_wrong_studies_are_refused_with_advice(tmp_path):
    wrong = dict(STUDY, vary=[dict(STUDY["vary"][0], key="misalignment.pitch")])
    with pytest.raises(softdock.InputError, match="did you mean `misalignment.pitch_deg`"):
        softdock.study(wrong, tmp_path / "s")
    with pytest.raises(softdock.InputError, match="idss-envelope"):
        softdock.study("no-such-study", tmp_path / "s")
