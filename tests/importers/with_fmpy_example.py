"""The program on the documentation page of LegSpatial runs as it stands, and moves like the platform.

The folder given as first argument holds whole/platform.csv, the run of the platform that is solved as a whole
under the program's wrench.
"""

import csv
import html
import os
import re
import subprocess
import sys
from zipfile import ZipFile

import common

# Distance from the whole platform that is allowed [m].
ALLOWED = 1e-5

with ZipFile(common.fmu("LegSpatial")) as archive:
    page = archive.read("documentation/index.html").decode()
[program] = re.findall(r'<pre class="python">(.*?)</pre>', page, re.DOTALL)
told = subprocess.run(
    [sys.executable, "-c", html.unescape(program)],
    cwd=common.folder(),
    env=os.environ,
    capture_output=True,
    text=True,
    check=False,
)
if told.returncode != 0:
    sys.exit(f"the program fails: {told.stderr}")
place = [float(number) for number in told.stdout.split()]
with open(common.folder() / "whole" / "platform.csv", newline="") as file:
    rows = list(csv.DictReader(file))
whole = [float(rows[-1][name]) for name in ("x", "y", "z")]
start = [float(rows[0][name]) for name in ("x", "y", "z")]
largest = max(abs(a - b) for a, b in zip(place, whole))
moved = max(abs(a - b) for a, b in zip(whole, start))
print(f"the program of the page: {largest:.2e} m off, {moved:.2e} m moved")
if not largest < ALLOWED or moved < 100 * ALLOWED:
    sys.exit("the program's system is not the platform")
