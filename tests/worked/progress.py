"""rapt bench draws a progress bar when stderr is a terminal, and takes it away at the end.

    progress.py RAPT
"""
import os
import pty
import re
import subprocess
import sys

terminal, stderr = pty.openpty()
with subprocess.Popen([sys.argv[1], "bench", "--like", "llama", "--longest", "1024", "--threads", "1", "--seconds",
                       "0.001"], stdout=subprocess.PIPE, stderr=stderr, env={**os.environ, "TERM": "xterm"}) as program:
    os.close(stderr)
    drawn = b""
    try:
        while block := os.read(terminal, 4096):
            drawn += block
    except OSError:  # the other end is closed
        pass
    table = program.stdout.read()
print(drawn, table.decode())
bars = re.findall(rb"\[([#.]+)\]", drawn)
filled = [bar.count(b"#") for bar in bars]
good = program.returncode == 0 and len(bars) > 2 and filled == sorted(filled) and filled[-1] > filled[0]
good = good and drawn.endswith(b"\r\x1b[K") and b"Time grows with length" in table and b"[#" not in table
sys.exit(0 if good else 1)
