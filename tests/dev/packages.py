"""What ./dev says and does about missing packages, on a machine made of stand-ins."""
import os
import shutil
import stat
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIRST = "apt-get install -y --no-install-recommends gcc-12 g++-12 "
failures = 0


def stand_in(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/bash\n" + text + "\n")
    os.chmod(path, stat.S_IRWXU)


def run(arguments, user, status, sudo=True):
    """./dev ARGUMENTS where every package has this dpkg status; exit status, both outputs, calls of apt-get."""
    with tempfile.TemporaryDirectory() as tree:
        tools = os.path.join(tree, "tools")
        log = os.path.join(tree, "log")
        os.mkdir(tools)
        shutil.copy(os.path.join(TOP, "dev"), tree)
        for name in ("readlink", "dirname", "mkdir", "cat", "grep", "env"):
            os.symlink(shutil.which(name), os.path.join(tools, name))
        stand_in(tools, "dpkg-query", f"printf '{status}'")
        stand_in(tools, "id", f"echo {user}")
        stand_in(tools, "apt-get", f'echo "$*" >> {log}')
        stand_in(tools, "cmake", "echo no cmake here; exit 1")
        if sudo:
            stand_in(tools, "sudo", f'echo sudo >> {log}; exec "$@"')
        done = subprocess.run([os.path.join(tree, "dev"), *arguments], env={"PATH": tools}, capture_output=True,
                              text=True, check=False)
        calls = []
        if os.path.exists(log):
            with open(log, encoding="utf-8") as file:
                calls = file.read().splitlines()
        return done.returncode, done.stdout, done.stderr, calls


def expect(what, good, outcome):
    global failures
    if not good:
        failures += 1
        print(f"{what}:\n{outcome}")


for where in (["--no-install", "build"], ["build", "--no-install"]):
    code, out, err, calls = run(where, 0, "not-installed")
    expect(f"refuses: {where}", code == 1 and out.startswith(FIRST) and not calls and
           err.startswith("dev: these packages are missing and --no-install was given: gcc-12 "), (code, out, err, calls))

code, out, err, calls = run(["build"], 1000, "not-installed", sudo=False)
expect("neither root nor sudo", code == 1 and out.startswith("sudo " + FIRST) and not calls and
       err.startswith("dev: packages are missing, and you are neither root nor have sudo: ") and FIRST in err,
       (code, out, err, calls))

code, out, err, calls = run(["build"], 0, "not-installed")
expect("root installs after the line", out.startswith(FIRST) and len(calls) == 2 and calls[0].endswith("update") and
       " install -y --no-install-recommends gcc-12 " in calls[1], (code, out, err, calls))

code, out, err, calls = run(["build"], 1000, "not-installed")
expect("sudo is used", out.startswith("sudo " + FIRST) and calls[0] == "sudo" and len(calls) == 4,
       (code, out, err, calls))

code, out, err, calls = run(["--no-install", "build"], 1000, "installed")
expect("nothing is missing", "apt-get" not in out and not calls and "no cmake here" in out and code == 1,
       (code, out, err, calls))

code, out, err, calls = run(["frobnicate"], 0, "installed")
expect("an unknown command", code == 1 and "unknown command 'frobnicate'" in err, (code, out, err, calls))

code, out, err, calls = run(["demo", "--no-install"], 0, "not-installed")
expect("the demo needs no clang, qemu or valgrind", code == 1 and FIRST in out and
       not any(name in out for name in ("clang", "qemu", "valgrind")), (code, out, err, calls))

print(f"{failures} failures")
sys.exit(1 if failures else 0)
