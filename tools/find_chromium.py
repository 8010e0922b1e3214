"""Print the path of a Chromium that starts; install one if there is none."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
MAC_APPS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
APT = (
    ("apt-get", "update"),
    ("apt-get", "install", "-y", "--no-install-recommends", "chromium"),
)
MISSING = """\
chromium: no browser found; tried $CHROMIUM, {names}, Playwright's download and apt-get as root; \
install Chromium or Chrome, or set CHROMIUM=/path/to/chrome"""


def say(text: str) -> None:
    print(f"chromium: {text}", file=sys.stderr, flush=True)


def starts(path: str) -> bool:
    """Return true if the browser starts; a stub or one with missing libraries does not."""
    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=300,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def installed() -> Iterator[str]:
    yield from filter(None, map(shutil.which, NAMES))
    yield from (app for app in MAC_APPS if Path(app).exists())


def playwrights() -> str:
    """Return the path of Playwright's own Chromium, which may not be downloaded yet."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def run(command: tuple[str, ...], env: dict[str, str] | None = None) -> bool:
    """Run a command with its output on stderr, because stdout is for the path."""
    say(" ".join(command))
    try:
        done = subprocess.run(command, env=os.environ | (env or {}), stdout=sys.stderr, timeout=900)
    except (OSError, subprocess.TimeoutExpired) as error:
        say(str(error))
        return False
    return done.returncode == 0


def downloaded() -> Iterator[str]:
    path = playwrights()
    if not Path(path).exists():
        # By default Playwright waits 30 s for each of several servers.
        patience = {"PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "5000"}
        run((sys.executable, "-m", "playwright", "install", "--no-shell", "chromium"), patience)
    yield path


def packaged() -> Iterator[str]:
    if shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {"DEBIAN_FRONTEND": "noninteractive"}
        if all(run(command, quiet) for command in APT):
            yield from installed()


def find() -> str | None:
    for source in (installed, downloaded, packaged):
        for path in source():
            if starts(path):
                return path
    return None


def main() -> int:
    chosen = os.environ.get("CHROMIUM")
    if chosen:
        browser = shutil.which(chosen)
        if browser is None or not starts(browser):
            say(f"$CHROMIUM does not start; got {chosen}; set it to a browser, or unset it")
            return 1
    else:
        browser = find()
    if browser is None:
        print(MISSING.format(names=", ".join(NAMES)), file=sys.stderr)
        return 1
    print(browser)
    return 0


if __name__ == "__main__":
    sys.exit(main())
