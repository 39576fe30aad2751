"""Dockings: the same bits as the program, the same errors, no lock, Ctrl-C."""

import csv
import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import softdock
from conftest import SMALL


@pytest.fixture(scope="module")
def run():
    return softdock.dock("default", **SMALL)


def test_results_are_those_of_the_program_bit_by_bit(run, program, tmp_path):
    arguments = [part for key, value in SMALL.items() for part in ("--set", f"{key}={value}")]
    done = program("dock", "default", "--out", str(tmp_path), *arguments)
    assert done.returncode in (0, 3), done.stderr
    with open(tmp_path / "run.csv", newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == run.series.columns
    theirs = np.array([[float(entry) for entry in row] for row in rows])
    ours = run.series.to_numpy()
    assert ours.shape == theirs.shape and np.array_equal(ours, theirs, equal_nan=True)
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    mine = dict(run.summary)
    for other in (summary, mine):
        del other["wall_s"]
    assert mine == summary
    text = (tmp_path / "config.toml").read_text(encoding="utf-8")
    assert text.split("\n", 1)[1] == run.config_text


def test_columns_share_their_memory_with_the_table(run):
    series = run.series
    assert np.shares_memory(series["contact_force_n"], series.to_numpy())
    assert series["time_s"][0] == 0.0 and len(series) == len(series["time_s"])
    with pytest.raises(KeyError, match="did you mean 'contact_force_n'"):
        series["contact_force"]


def test_pandas_and_arrow_have_the_same_numbers(run):
    pandas = pytest.importorskip("pandas")
    frame = run.series.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert np.array_equal(frame["gap_m"].to_numpy(), run.series["gap_m"])
    pytest.importorskip("pyarrow")
    table = run.series.to_arrow()
    column = table["gap_m"].chunk(0)
    assert np.array_equal(column.to_numpy(), run.series["gap_m"])
    # No copy: Arrow's buffer is where NumPy's numbers are.
    assert column.buffers()[1].address == run.series["gap_m"].__array_interface__["data"][0]


def test_a_page_and_a_notebook_show_the_run(run, tmp_path):
    page = run.report(tmp_path / "page.html")
    text = open(page, encoding="utf-8").read()
    assert text.startswith("<!doctype html>") and "contact force" in text
    shown = run._repr_html_()
    assert run.verdict.soundness in shown and "peak contact force" in shown
    assert "softdock.Run" in repr(run)


def test_settings_can_be_written_in_three_ways(tmp_path):
    ways = [
        {"misalignment.pitch_deg": 5},
        {"misalignment__pitch_deg": 5},
        {"misalignment": {"pitch_deg": np.float64(5)}},
    ]
    texts = {softdock.print_config("aligned", **way) for way in ways}
    assert len(texts) == 1 and "pitch_deg = 5.0" in texts.pop()
    # A dict is what a file would be: what it does not say has the default of its key.
    file = tmp_path / "one.toml"
    file.write_text("closing_speed_m_s = 0.02\n")
    assert softdock.print_config({"closing_speed_m_s": 0.02}) == softdock.print_config(file)


@pytest.mark.parametrize(
    "key, value",
    [("misalignment.pitch", 5), ("closing_speed_m_s", -1.0), ("closing_speed_m_s", float("nan")), ("motor.mode", "lock")],
)
def test_errors_have_the_texts_of_the_program(program, tmp_path, key, value):
    with pytest.raises(softdock.InputError) as caught:
        softdock.dock(**{key: value})
    done = program("dock", "--out", str(tmp_path), "--set", f"{key}={value}")
    assert done.returncode == 2
    # Both name the place in front: an argument of the command line, a keyword of Python.
    theirs = done.stderr.strip().split(": ", 2)[2]
    ours = str(caught.value).split(": ", 1)[1]
    assert ours == theirs


def test_wrong_names_and_values_are_input_errors():
    with pytest.raises(softdock.InputError, match="motors-lqr"):
        softdock.dock("no-such-scenario")
    with pytest.raises(softdock.InputError, match="must be \"native\" or \"fmu\""):
        softdock.dock(legs="wood")
    with pytest.raises(TypeError, match="is no setting"):
        softdock.dock(closing_speed_m_s=object())
    assert issubclass(softdock.InputError, ValueError)


def test_other_threads_run_while_a_docking_is_computed():
    counted = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begin = time.monotonic()
    softdock.dock("default", **{**SMALL, "duration_s": 0.6})
    elapsed = time.monotonic() - begin
    done.set()
    thread.join()
    # With the lock held it would be one or two.
    assert counted[0] > 10 and elapsed > 0.02


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_a_long_docking():
    code = (
        "import softdock\nprint('begin', flush=True)\n"
        "try:\n    softdock.dock('default', duration_s=1000.0, output_interval_s=1.0)\n"
        "except KeyboardInterrupt:\n    print('interrupted')\n"
    )
    # In the background of a shell the signal may be ignored, and children inherit that.
    heard = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    child = subprocess.Popen([sys.executable, "-c", heard + code], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline().strip() == "begin"
        time.sleep(1.0)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
        assert out.strip() == "interrupted"
    finally:
        child.kill()


def test_a_sweep_has_the_figures_of_single_runs():
    found = softdock.sweep("default", "misalignment.pitch_deg", [5.0, 7.5], **SMALL)
    single = softdock.dock("default", **SMALL)
    assert found["peak_contact_force_n"][1] == single["peak_contact_force_n"]
    assert list(found["outcome"]) == [one["outcome"] for one in found.summaries]
    with pytest.raises(softdock.InputError, match="did you mean"):
        softdock.sweep("default", "misalignment.pitch", [1.0])


def test_a_docking_stepped_by_hand_ends_like_one_run_at_once(run):
    with pytest.raises(softdock.InputError, match="cannot be saved"):
        softdock.Docking("default", **SMALL, **{"solver.accuracy": 0.01}).save()
    for name in ("default", "motors-locked"):
        docking = softdock.Docking(name, **SMALL)
        docking.advance_to(0.05)
        assert docking.time == 0.05 and not docking.finished
        state = docking.save()
        first = docking.step(0.01)
        docking.restore(state)
        assert state.time == 0.05
        assert np.array_equal(docking.step(0.01), first)
    again = softdock.Docking("default", **SMALL).finish()
    assert np.array_equal(again.series.to_numpy(), run.series.to_numpy(), equal_nan=True)
    docking.finish()
    with pytest.raises(softdock.ComputationError, match="used up"):
        docking.observe()


def test_a_controller_in_python_drives_the_motors():
    settings = {**SMALL, "motor.mode": "torque", "duration_s": 0.03}
    seen = []

    def push(observation):
        seen.append(observation)
        return np.full(6, 0.3)

    run = softdock.dock("default", controller=push, period_s=0.005, **settings)
    assert len(seen) == 6
    torques = run.series["leg1_motor_torque_nm"]
    assert torques[-1] == pytest.approx(0.3, abs=1e-9)
    with pytest.raises(softdock.InputError, match="6 finite numbers"):
        softdock.Docking("default", **settings).step(0.001, [1.0])
    # Where a regulator sets the torques, or motors take none, nobody else is heard in silence.
    with pytest.raises(softdock.InputError, match='regulator.law = "lqr"'):
        softdock.Docking("default", **settings).step(0.001, [0.0] * 6)
    with pytest.raises(softdock.InputError, match="motor.mode"):
        softdock.Docking("motors-locked", **SMALL).step(0.001, [0.0] * 6)


def test_steps_that_are_added_up_end_at_the_rows():
    # 0.001 added ten times is not 0.01: what is left beside a row of output is no step.
    docking = softdock.Docking("motors-locked", **{**SMALL, "duration_s": 0.03})
    for _ in range(30):
        docking.step(0.001)
    assert docking.finished and docking.time == 0.03
    whole = softdock.dock("motors-locked", **{**SMALL, "duration_s": 0.03})
    assert np.allclose(docking.series["time_s"], whole.series["time_s"], rtol=0.0, atol=1e-12)


def test_figures_and_validation_are_there():
    figures = softdock.figures()
    assert figures["peak_contact_force_n"]["unit"] == "N"
    outcomes = softdock.verify("heavy top")
    assert outcomes and all(one["status"] == "ok" for one in outcomes)
