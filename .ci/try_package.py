"""Builds the source distribution and, from it, the wheel; installs the wheel and runs the documented commands there.

`make dist-check` runs this. Whatever the package needs and does not bring fails here: nothing of the repository can be
seen from the folder where the commands run.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINKS = [(a, b) for a in range(30) for b in range(a) if a % 3 == b % 3 or (a + b) % 7 == 0]
NAMES = ["ann", "bob", *(f"n{i}" for i in range(2, 30))]


def build(folder: Path) -> tuple[Path, Path]:
    """The source distribution, and the wheel that was built from it."""
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)], check=True, stdout=subprocess.DEVNULL
    )
    (source,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return source, wheel


def tracked() -> set[str]:
    """All files of the repository."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {name for name in listed.splitlines() if (ROOT / name).exists()}


def check_contents(source: Path, wheel: Path) -> None:
    """The source distribution has all files of the repository, the wheel all of the package, and neither has others."""
    with tarfile.open(source) as archive:
        in_source = {name.partition("/")[2] for name in archive.getnames()}
    expect("the source distribution", in_source - {"PKG-INFO"}, tracked())
    with zipfile.ZipFile(wheel) as packed:
        in_wheel = {name for name in packed.namelist() if ".dist-info/" not in name}
    expect("the wheel", in_wheel, {name.removeprefix("src/") for name in tracked() if name.startswith("src/")})


def expect(what: str, found: set[str], expected: set[str]) -> None:
    """End with a sentence unless both are the same."""
    if found != expected:
        sys.exit(f"{what} lacks {sorted(expected - found)} and should not have {sorted(found - expected)}")


def commands() -> list[str]:
    """The commands that the README and the page about the command line show, in their order."""
    text = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/command_line.md"))
    return re.findall(
        r"^(?: {4})?(philia (?:fit|report|communities|explain|predict|place|compare|exact|verify) .*)$", text, re.M
    )


def try_installed(wheel: Path, folder: Path) -> None:
    """Install into an empty environment and run everything from an empty folder."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    install = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, f"{wheel}[report]"], check=True)
    work = folder / "work"
    work.mkdir()
    (work / "links.csv").write_text("".join(f"{NAMES[a]},{NAMES[b]}\n" for a, b in LINKS))
    (work / "new_links.csv").write_text("zoe,ann\nzoe,n4\n")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def run(*command: str) -> None:
        print("$", *command, flush=True)
        program = [str(programs / command[0]), *command[1:]]
        subprocess.run(program, cwd=work, env=clean, check=True, stdout=subprocess.DEVNULL)

    where = "import philia, sys; sys.exit(not philia.__file__.startswith(sys.prefix) and philia.__file__)"
    run("python", "-c", where)
    run("philia", "--version")
    run("philia", "demo", "--nodes", "200", "--cities", "3")
    found = commands()
    if len(found) < 9:
        sys.exit(f"README.md and docs/command_line.md show only {len(found)} commands: {found}")
    for command in found:
        (work / "report.html").unlink(missing_ok=True)  # two of the commands write it
        run(*shlex.split(command, comments=True))
    run("python", str(ROOT / "examples" / "your_own_links.py"))
    refused = [str(programs / "philia"), "reproduce"]
    said = subprocess.run(refused, cwd=work, env=clean, check=False, capture_output=True, text=True).stderr
    if "the experiments are part of philia's repository" not in said:
        sys.exit(f"philia reproduce does not say where the experiments are, but: {said}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        source, wheel = build(Path(temporary))
        check_contents(source, wheel)
        try_installed(wheel, Path(temporary))
        print(f"{source.name} and {wheel.name} hold what they should, and what is installed from them works")
