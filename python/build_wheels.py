"""Builds the wheels, each with the static program of its platform, and the source distribution.

    python build_wheels.py                 # all platforms, and the sdist, into dist/
    python build_wheels.py --only linux-amd64

It is also the build backend (PEP 517): `pip install ./python` in a checkout, or of the sdist, builds the program with Go
for the machine at hand. Nothing but Python and Go is needed. The wheels of other platforms than that of the machine are
built and checked to be well formed, but cannot be run on it.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import os
import platform
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODULE = HERE / "go" if (HERE / "go" / "go.mod").exists() else HERE.parent  # of the sdist, or a checkout
STAMP = (2020, 1, 1, 0, 0, 0)  # the same files give the same wheel

# A static program needs no C library: it runs with any.
PLATFORMS = {
    "linux-amd64": ("linux", "amd64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"),
    "linux-arm64": ("linux", "arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"),
    "macos-amd64": ("darwin", "amd64", "macosx_12_0_x86_64"),
    "macos-arm64": ("darwin", "arm64", "macosx_12_0_arm64"),
    "windows-amd64": ("windows", "amd64", "win_amd64"),
    "windows-arm64": ("windows", "arm64", "win_arm64"),
}


def version() -> str:
    """The version of the Go module, in the form of Python's packages: 1.0.0rc1 for 1.0.0-rc.1."""
    for path in sorted((MODULE / "spec").glob("*.go")):
        found = re.search(r'^\s*(?:const\s+|var\s+)?Version\s*=\s*"([^"]+)"', path.read_text(encoding="utf-8"), re.M)
        if found:
            return found[1].replace("-rc.", "rc")
    raise SystemExit(f"the Go module is not in {MODULE}: install from a whole checkout (pip install ./python), not from a copy of its folder python alone")


def here() -> str:
    """The platform of this machine."""
    system = {"Linux": "linux", "Darwin": "macos", "Windows": "windows"}.get(platform.system(), platform.system())
    machine = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine().lower(), "")
    name = f"{system}-{machine}"
    if name not in PLATFORMS:
        raise SystemExit(f"no wheel is made for {platform.system()} {platform.machine()}: build optcomplete with Go and set OPTCOMPLETE_BINARY")
    return name


def program(name: str) -> bytes:
    """The program of a platform, built with Go."""
    system, machine, _ = PLATFORMS[name]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "optcomplete"
        environment = {**os.environ, "CGO_ENABLED": "0", "GOOS": system, "GOARCH": machine}
        try:
            subprocess.run(["go", "build", "-trimpath", "-ldflags", "-s -w", "-o", str(out), "./cmd/optcomplete"], cwd=MODULE, env=environment, check=True)
        except FileNotFoundError:
            raise SystemExit("Go is needed to build optcomplete: install it from https://go.dev, or install a wheel") from None
        return out.read_bytes()


def metadata() -> str:
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    field = lambda name: re.search(rf'^{name} = "(.*)"$', text, re.M)[1]  # noqa: E731
    lines = ["Metadata-Version: 2.1", "Name: optcomplete", f"Version: {version()}", f"Summary: {field('description')}", f"Requires-Python: {field('requires-python')}"]
    lines += [f"Requires-Dist: {d}" for d in re.findall(r'"([^"]+)"', re.search(r"^dependencies = \[(.*)\]$", text, re.M)[1])]
    lines += ["Provides-Extra: all"]
    lines += [f'Requires-Dist: {d}; extra == "all"' for d in re.findall(r'"([^"]+)"', re.search(r"^all = \[(.*)\]$", text, re.M)[1])]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", (HERE / "README.md").read_text(encoding="utf-8")])


def wheel(name: str, folder: Path) -> Path:
    """Write the wheel of a platform."""
    tag, info = PLATFORMS[name][2], f"optcomplete-{version()}.dist-info"
    files: list[tuple[str, bytes, int]] = []
    for path in sorted((HERE / "optcomplete").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and "_bin" not in path.parts:
            files.append((path.relative_to(HERE).as_posix(), path.read_bytes(), 0o644))
    binary = "optcomplete.exe" if name.startswith("windows") else "optcomplete"
    files.append((f"optcomplete/_bin/{binary}", program(name), 0o755))
    tags = "".join(f"Tag: py3-none-{t}\n" for t in tag.split("."))
    files.append((f"{info}/METADATA", metadata().encode(), 0o644))
    files.append((f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: build_wheels\nRoot-Is-Purelib: false\n{tags}".encode(), 0o644))
    record = "".join(f"{path},sha256={_digest(content)},{len(content)}\n" for path, content, _ in files) + f"{info}/RECORD,,\n"
    files.append((f"{info}/RECORD", record.encode(), 0o644))
    out = folder / f"optcomplete-{version()}-py3-none-{tag}.whl"
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for path, content, mode in files:
            entry = zipfile.ZipInfo(path, STAMP)
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            z.writestr(entry, content)
    return out


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def sdist(folder: Path) -> Path:
    """Write the source distribution: the package, and the Go module that it is built from."""
    root = f"optcomplete-{version()}"
    out = folder / f"{root}.tar.gz"
    with tarfile.open(out, "w:gz", format=tarfile.PAX_FORMAT) as tar:

        def add(name: str, content: bytes) -> None:
            entry = tarfile.TarInfo(f"{root}/{name}")
            entry.size, entry.mode, entry.mtime = len(content), 0o644, 1577836800
            tar.addfile(entry, io.BytesIO(content))

        add("PKG-INFO", metadata().encode())
        for name in ("pyproject.toml", "README.md", "build_wheels.py"):
            add(name, (HERE / name).read_bytes())
        for top in ("optcomplete", "tests"):
            for path in sorted((HERE / top).rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts and "_bin" not in path.parts:
                    add(path.relative_to(HERE).as_posix(), path.read_bytes())
        for path in _sources():
            add(f"go/{path.relative_to(MODULE).as_posix()}", path.read_bytes())
    return out


def _sources() -> list[Path]:
    """The files of the Go module that the program is built from: no tests, and no data of tests."""
    out = [MODULE / "go.sum"]
    for folder, folders, names in os.walk(MODULE):
        folders[:] = sorted(f for f in folders if not f.startswith((".", "_")) and f not in ("testdata", "python", "docs", "scripts"))
        for name in sorted(names):
            if name == "go.mod" or name.endswith((".go", ".s")) and not name.endswith("_test.go") or {"assets", "help", "page"} & set(Path(folder).parts) or name == "openapi.json":
                out.append(Path(folder) / name)
    return out


def platform_of(program: bytes) -> str:
    """The platform that a program is for, by its header; that of a linux program only if it needs no C library."""
    if program[:4] == b"\x7fELF":
        machine, entries, size, count = (struct.unpack_from(form, program, at)[0] for form, at in (("<H", 18), ("<Q", 32), ("<H", 54), ("<H", 56)))
        kinds = [struct.unpack_from("<I", program, entries + x * size)[0] for x in range(count)]
        loader = 3  # a segment that names the loader of shared libraries
        return "dynamic" if loader in kinds else {62: "linux-amd64", 183: "linux-arm64"}.get(machine, "")
    if program[:4] == b"\xcf\xfa\xed\xfe":
        return {0x01000007: "macos-amd64", 0x0100000C: "macos-arm64"}.get(struct.unpack_from("<I", program, 4)[0], "")
    if program[:2] == b"MZ":
        header = struct.unpack_from("<I", program, 60)[0]
        return {0x8664: "windows-amd64", 0xAA64: "windows-arm64"}.get(struct.unpack_from("<H", program, header + 4)[0], "") if program[header : header + 4] == b"PE\0\0" else ""
    return ""


def check(path: Path) -> None:
    """Raise if a wheel is not well formed: its record, its tags, a program of its platform that may be run."""
    with zipfile.ZipFile(path) as z:
        record = z.read(f"optcomplete-{version()}.dist-info/RECORD").decode().splitlines()
        assert {line.split(",")[0] for line in record} == set(z.namelist()), path
        for line in record:
            name, digest, _ = line.split(",")
            assert not digest or digest == f"sha256={_digest(z.read(name))}", name
        binary = next(i for i in z.infolist() if "/_bin/" in i.filename)
        assert binary.external_attr >> 16 & 0o111, "the program may not be run"
        found = platform_of(z.read(binary))
        assert found in PLATFORMS and path.name.endswith(f"-py3-none-{PLATFORMS[found][2]}.whl"), f"{path.name} has a program of {found or 'no platform'}"
        assert binary.filename.endswith(".exe") == found.startswith("windows"), binary.filename
        told = re.findall(r"^Tag: py3-none-(\S+)$", z.read(f"optcomplete-{version()}.dist-info/WHEEL").decode(), re.M)
        assert ".".join(told) == PLATFORMS[found][2], told


# PEP 517.


def get_requires_for_build_wheel(config_settings=None):  # type: ignore[no-untyped-def]
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # type: ignore[no-untyped-def]
    return wheel(here(), Path(wheel_directory)).name


def build_sdist(sdist_directory, config_settings=None):  # type: ignore[no-untyped-def]
    return sdist(Path(sdist_directory)).name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=[*PLATFORMS, "sdist"], action="append", help="platforms to build for; without it, all, and the sdist")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "dist", help="folder to write to")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    for name in args.only or [*PLATFORMS, "sdist"]:
        if name == "sdist":
            print(sdist(args.output).name, flush=True)
            continue
        path = wheel(name, args.output)
        check(path)
        how = "" if name == here() else " (built and checked, not run)"
        print(f"{path.name}  {path.stat().st_size / 1e6:.1f} MB{how}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
