"""Platform, legs, mechanisms and FMUs from Python."""

import zipfile

import numpy as np
import pytest
import softdock

SMALL = {"legs.elements": 2, "solver.threads": 1}


def platform(**more):
    return softdock.Platform(**SMALL, **{"motor.mode": "torque"}, **more)


def test_a_platform_at_rest_stays_there_under_its_holding_torques():
    at_rest = platform()
    before = at_rest.observe()
    hold = at_rest.holding_torques
    for _ in range(5):
        after = at_rest.step(1e-3, hold)
    place = at_rest.where("effector_")
    assert np.allclose(after[place], before[place], atol=1e-9)
    assert len(at_rest.names) == len(after) and at_rest.time == pytest.approx(5e-3)
    assert np.allclose(at_rest.pose[:3, 3], after[1:4])


def test_a_saved_platform_goes_on_with_the_same_bits():
    moving = platform()
    push = moving.holding_torques + 0.2
    for _ in range(3):
        moving.step(1e-3, push, [1.0, 0.0, 2.0, 0.0, 0.0, 0.0])
    state = moving.save()
    first = [moving.step(1e-3, push) for _ in range(3)][-1]
    moving.step(1e-3, push, [0.0, 5.0, 0.0, 0.0, 0.0, 0.0])
    moving.restore(state)
    again = [moving.step(1e-3, push) for _ in range(3)][-1]
    assert np.array_equal(first, again)


def test_pd_control_in_python_brings_the_platform_back():
    driven = platform()
    hold = driven.holding_torques
    angles, rates = driven.where("motor_angle"), driven.where("motor_rate")
    start = driven.observe()[angles]
    seen = driven.step(0.01, hold, [0.0, 0.0, -10.0, 0.0, 0.0, 0.0])
    away = np.abs(seen[angles] - start).max()
    for _ in range(300):
        torques = hold - 40.0 * (seen[angles] - start) - 2.0 * seen[rates]
        seen = driven.step(1e-3, torques, np.zeros(6))
    assert away > 1e-4 and np.abs(seen[angles] - start).max() < 0.2 * away


def test_the_linear_model_is_of_the_right_shape():
    model = platform().linearize(motors="locked", cutoff_hz=20.0)
    states = len(model.states)
    assert model.a.shape == (states, states) and model.b.shape == (states, len(model.inputs))
    assert np.linalg.eigvals(model.a).real.max() < 1e-6
    stiffness = platform().stiffness
    # Entries that symmetry makes zero hold what rounding leaves of the largest.
    rounding = 1e-9 * np.abs(stiffness).max()
    assert np.allclose(stiffness, stiffness.T, rtol=1e-6, atol=rounding) and stiffness[2, 2] > 1e4


def test_a_platform_refuses_what_it_cannot_do():
    with pytest.raises(softdock.InputError, match="monolithic"):
        softdock.Platform(coupling="implicit")
    with pytest.raises(softdock.InputError, match="6 finite numbers"):
        platform().step(1e-3, [np.nan] * 6)
    with pytest.raises(softdock.InputError, match="must be > 0"):
        platform().step(0.0)


def test_a_leg_swings_and_its_derivative_is_that_of_its_steps():
    leg = softdock.Leg("planar")
    assert "q1" in leg.outputs and leg.unit("q1") == "rad"
    name = next(name for name in leg.inputs if "torque" in name)
    handle = leg.save()

    def after(torque):
        leg.restore(handle)
        leg[name] = torque
        leg.step(1e-3)
        return leg["q1"]

    slope = (after(0.01) - after(-0.01)) / 0.02
    after(0.0)
    assert leg.derivative("q1", name)[0, 0] == pytest.approx(slope, rel=1e-4)
    data = leg.save_bytes()
    leg.step(1e-3)
    first = leg.get_outputs()
    leg.restore_bytes(data)
    leg.step(1e-3)
    assert np.array_equal(leg.get_outputs(), first)
    with pytest.raises(softdock.InputError, match="did you mean"):
        leg["q11"]


def test_parameters_of_a_leg_are_checked():
    name = next(name for name in softdock.Leg("spatial").parameters if "length" in name)
    with pytest.raises(softdock.InputError):
        softdock.Leg("spatial", **{name: -1.0})
    with pytest.raises(softdock.InputError, match="there is no model"):
        softdock.Leg("LegOblique")


def test_a_mechanism_moves_like_in_the_program(program, tmp_path):
    made = softdock.Mechanism("slider-crank", analysis__duration_s=0.2).simulate()
    done = program("mechanism", "simulate", "slider-crank", "--set", "analysis.duration_s=0.2", "--out", str(tmp_path))
    assert done.returncode in (0, 3), done.stderr
    rows = (tmp_path / "mechanism.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].split(",") == made.series.columns
    theirs = np.array([[float(entry) for entry in row.split(",")] for row in rows[1:]])
    assert np.array_equal(made.series.to_numpy(), theirs)
    with pytest.raises(softdock.InputError, match="did you mean"):
        softdock.Mechanism("slider-crunk")


def test_models_become_fmus(tmp_path):
    assert {"LegPlanar", "LegSpatial"} <= set(softdock.models())
    file = softdock.export_fmu("LegPlanar", tmp_path)
    with zipfile.ZipFile(file) as archive:
        assert "modelDescription.xml" in archive.namelist()
    with pytest.raises(softdock.InputError, match="2 or 3"):
        softdock.export_fmu("LegPlanar", tmp_path, fmi=1)
