"""What the tests share: small models that run in a fraction of a second."""

import os
import shutil
import subprocess

import pytest

#: A docking that is quick to compute; its accuracy is not what is tested here.
SMALL = {"legs.elements": 2, "duration_s": 0.15, "solver.threads": 1}


@pytest.fixture(scope="session")
def program():
    """The program, with which results are compared bit by bit."""
    path = os.environ.get("SOFTDOCK_PROGRAM") or shutil.which("softdock")
    if not path:
        if os.environ.get("CI"):
            pytest.fail("SOFTDOCK_PROGRAM does not name the program")
        pytest.skip("SOFTDOCK_PROGRAM does not name the program")

    def run(*arguments):
        return subprocess.run([path, *arguments], capture_output=True, text=True, check=False)

    return run
