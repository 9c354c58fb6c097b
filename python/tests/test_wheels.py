"""Wheels of other platforms are told apart by the headers of their programs."""

from __future__ import annotations

import importlib.util
import struct
import sys
from pathlib import Path

import pytest

from optcomplete._binary import binary

script = Path(__file__).resolve().parents[1] / "build_wheels.py"


@pytest.fixture(scope="module")
def wheels():
    if not script.exists():
        pytest.skip("build_wheels.py is not there")
    spec = importlib.util.spec_from_file_location("build_wheels", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a program of linux")
def test_the_program_is_of_this_platform_and_static(wheels):
    program = Path(binary()).read_bytes()
    assert wheels.platform_of(program) == wheels.here()
    assert wheels.platform_of(Path(sys.executable).resolve().read_bytes()) in ("dynamic", "")  # needs a C library


def test_headers(wheels):
    pe = bytearray(256)
    pe[:2], pe[60:64], pe[128:132], pe[132:134] = b"MZ", struct.pack("<I", 128), b"PE\0\0", struct.pack("<H", 0x8664)
    assert wheels.platform_of(bytes(pe)) == "windows-amd64"
    assert wheels.platform_of(b"\xcf\xfa\xed\xfe" + struct.pack("<I", 0x0100000C)) == "macos-arm64"
    assert wheels.platform_of(b"#!/bin/sh") == ""


def test_a_copy_of_the_folder_alone_is_refused(wheels, monkeypatch, tmp_path):
    monkeypatch.setattr(wheels, "MODULE", tmp_path)
    with pytest.raises(SystemExit, match="install from a whole checkout"):
        wheels.version()
