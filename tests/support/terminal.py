"""A pseudo-terminal for the tests: run a command in a window of a given width and read what it shows."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

from patience import PATIENCE

COMMAND = [sys.executable, "-c", "from verified_risk.cli import main; main(prog_name='verified-risk')"]
AT_ONCE = [
    *COMMAND[:2],
    "from verified_risk.cli import terminal; show = terminal._Live._show\n"
    "terminal._Live.start = lambda live, at_once: show(live)\n" + COMMAND[2],
]
"""The command line with progress drawn before the work begins, so that no job is too quick to show any."""


def stuck_after(cells):
    """The command line, whose sweeps sleep after so many results: one that cannot end before it is stopped."""
    return [
        *COMMAND[:2],
        "import time\nfrom verified_risk import files\nwrite, kept = files.write, []\n"
        "def stuck(path, kind, data):\n"
        "    write(path, kind, data)\n"
        "    kept.append(kind)\n"
        f"    if kept.count('cell') == {cells}: time.sleep(3600)\n"
        "files.write = stuck\n" + COMMAND[2],
    ]


class Terminal:
    """A command running in a window; ``shown`` is everything that it wrote so far, escapes included."""

    def __init__(self, *arguments, columns=80, command=COMMAND, stdout=None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR", "LINES")}
        setting = {"start_new_session": True, "env": {**environment, "TERM": "xterm-256color"}}
        streams = {"stdin": slave, "stdout": slave if stdout is None else stdout, "stderr": slave}
        self.process = subprocess.Popen([*command, *map(str, arguments)], **streams, **setting)
        os.close(slave)
        self.shown = ""
        self._raw = b""

    def read(self, seconds):
        """Take in what comes within so many seconds; False at the end."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return True
        try:
            chunk = os.read(self.master, 65536)
        except OSError:  # the other side is closed
            return False
        self._raw += chunk
        self.shown = self._raw.decode(errors="replace").replace("\r\n", "\n")
        return bool(chunk)

    def wait_for(self, text):
        deadline = time.monotonic() + PATIENCE
        while text not in self.shown:
            if not self.read(0.1) or time.monotonic() > deadline:
                self._give_up(f"{text!r} did not appear")

    def finish(self):
        """Read to the end; the exit code."""
        deadline = time.monotonic() + PATIENCE
        while self.read(0.1):
            if time.monotonic() > deadline:
                self._give_up("it did not finish")
        code = self.process.wait(timeout=PATIENCE)
        os.close(self.master)
        return code

    def _give_up(self, why):
        self.process.kill()
        self.process.wait()
        raise AssertionError(f"{why}: {self.shown[:500]!r} ... {self.shown[-500:]!r}")


def plain(shown):
    """The text that stays on the screen: without escapes, rewritten lines in their last form."""
    without = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    return "\n".join(line.rpartition("\r")[2] for line in without.split("\n"))
