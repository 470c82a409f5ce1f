"""The first start on a machine: one wait for all that a launch needs, announced by one line."""

from __future__ import annotations

from tests.emulate.running import entry_of, launch
from tilewright.emulate import compiled, emulator
from tilewright.emulate.observers import BoundsObserver, EventRecorder


def test_a_launch_announces_one_wait_for_all_that_it_needs(monkeypatch, capsys):
    """The emulator's own units and the observers', the recorder's among them."""
    asked: list[list[compiled.Unit]] = []
    monkeypatch.setattr(compiled.Unit, "is_kept", property(lambda unit: any(unit in units for units in asked)))
    monkeypatch.setattr(emulator, "compile_missing", asked.append)

    launch(entry_of("kernel", [], "ret;"), observers=[BoundsObserver()])
    said = capsys.readouterr().err
    launch(entry_of("kernel", [], "ret;"), observers=[BoundsObserver()])

    assert said.startswith("Compiling the emulator, once per machine (about a minute of processor time) ...")
    assert said.count("Compiling") == 1
    assert {*compiled.units_of_core(), BoundsObserver.unit, EventRecorder.unit} <= set(asked[0])
    assert (capsys.readouterr().err, len(asked)) == ("", 1)


def test_a_part_that_is_missing_alone_says_no_time(monkeypatch, capsys):
    """A minute is what everything takes."""
    monkeypatch.setattr(compiled.Unit, "is_kept", property(lambda unit: unit is not BoundsObserver.unit))
    monkeypatch.setattr(emulator, "compile_missing", lambda _: None)

    launch(entry_of("kernel", [], "ret;"), observers=[BoundsObserver()])

    assert capsys.readouterr().err == "Compiling the emulator, once per machine ...\n"
