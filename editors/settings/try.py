#!/usr/bin/env python3
"""Tries the settings of docs/guide/editors.md in the editors that are installed.

usage: try.py WFC

Each editor opens a workflow with a fault, with the settings of the guide and no others. It
must show the finding and offer its fix. The script skips editors that are not installed.
"""
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
GUIDE = HERE.parent.parent / "docs" / "guide" / "editors.md"
WORKFLOW = "name: flow\ndescription: Say hello.\nnodes:\n  - id: hello\n    bsah: echo hello\n"
FINDING = "unknown key `bsah` on a node"
FIX = "Replace with `bash`"
SECONDS = 30


def settings(section, language, number=0):
    """Returns a code block of a section of the guide."""
    text = GUIDE.read_text()
    start = text.index(f"\n### {section}\n") + 1
    end = re.compile(r"^##", re.M).search(text, start + 3).start()
    return re.findall(rf"```{language}\n(.*?)```", text[start:end], re.S)[number]


def run(command, **options):
    """Returns what a program prints."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=2 * SECONDS, **options)
    return done.stdout


def neovim(program, home, env):
    version = run([program, "--version"], env=env).splitlines()[0]
    major, minor = map(int, re.search(r"(\d+)\.(\d+)", version).groups())
    if (major, minor) < (0, 8):
        return version, None
    folder = home / ".config" / "nvim"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "init.lua").write_text(settings("Neovim", "lua", 0 if (major, minor) >= (0, 11) else 1))
    return version, run([program, "--headless", "-c", f"luafile {HERE / 'neovim.lua'}", "flow.yaml"], cwd=home, env=env)


def emacs(program, home, env):
    version = run([program, "--version"], env=env).splitlines()[0]
    (home / "settings.el").write_text(settings("Emacs", "lisp"))
    printed = run([program, "--batch", "-l", str(HERE / "emacs.el")], cwd=home, env=env)
    return version, None if "no-packages" in printed else printed


def helix(program, home, env):
    version = run([program, "--version"], env=env).splitlines()[0]
    folder = home / ".config" / "helix"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "languages.toml").write_text(settings("Helix", "toml"))
    return version, terminal([program, "flow.yaml"], home, env, [("flow.yaml", b"5Gw"), (FINDING, b" a"), (FIX, b"\x1b:q!\r")])


def terminal(command, folder, env, steps):
    """Runs a program in a terminal; after each text of a step appears, it types the keys."""
    import fcntl
    import pty
    import struct
    import termios

    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe(command[0], command, env)
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 140, 0, 0))
    raw = b""
    end = time.monotonic() + SECONDS
    for text, keys in steps:
        while text not in plain(raw) and time.monotonic() < end:
            if select.select([screen], [], [], 0.2)[0]:
                try:
                    raw += os.read(screen, 1 << 16)
                except OSError:  # the program has ended
                    return plain(raw)
        os.write(screen, keys)
    os.kill(pid, 15)
    os.waitpid(pid, 0)
    os.close(screen)
    return plain(raw)


def plain(raw):
    return re.sub(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b[=>]", "", raw.decode("utf8", "replace"))


def main():
    wfc = pathlib.Path(sys.argv[1]).resolve()
    failed = False
    for names, attempt in ((["nvim"], neovim), (["emacs", "emacs-nox"], emacs), (["hx", "helix"], helix)):
        program = next(filter(None, map(shutil.which, names)), None)
        if program is None:
            print(f"skipped: {names[0]} is not installed")
            continue
        with tempfile.TemporaryDirectory() as folder:
            home = pathlib.Path(folder)
            (home / "flow.yaml").write_text(WORKFLOW)
            (home / ".git").mkdir()
            path = os.pathsep.join([str(wfc.parent), os.environ["PATH"]])
            env = {"PATH": path, "HOME": folder, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
            version, printed = attempt(program, home, env)
        if printed is None:
            print(f"skipped: {version} lacks what the settings need")
            continue
        missing = [text for text in (FINDING, FIX) if text not in printed]
        print(f"{version}: {'no ' + ', no '.join(map(repr, missing)) if missing else 'finding and fix'}")
        if missing:
            print(printed)
        failed = failed or bool(missing)
    return failed


if __name__ == "__main__":
    sys.exit(main())
