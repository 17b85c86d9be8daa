"""Make the pictures and the film of README and pages anew: `./payload-id python docs/pictures.py`.

Runs the demonstration, its report and both browser views as a user would, and looks at them with
Chromium (`--browser`), which nothing else here needs. Other pictures come from the programs that
their pages name.
"""

from __future__ import annotations

import argparse
import base64
import io
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from websockets.sync.client import connect

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
SEED = "5"
PAGE = (786, 1113)  # [px] a sheet of paper at 96 dots per inch, without its margins
FILM, FRAMES, PAUSE = (885, 480), 24, 0.3  # [px], and between two pictures [s]
PATIENCE = 300.0  # [s] for a page to say something, on a slow machine


class Browser:
    """One window of Chromium without a screen, by its DevTools protocol."""

    def __init__(self, program: str, folder: Path) -> None:
        """Start it."""
        self._process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--use-angle=swiftshader",
             "--enable-unsafe-swiftshader", "--remote-debugging-port=0",
             "--remote-allow-origins=*", f"--user-data-dir={folder}", "about:blank"],
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        address = next(x for line in self._said() if (x := re.search(r"ws://(\S+?)/", line)))[1]
        with urllib.request.urlopen(f"http://{address}/json") as answer:
            pages = [x for x in json.load(answer) if x["type"] == "page"]
        self._socket = connect(pages[0]["webSocketDebuggerUrl"], max_size=None)
        self._numbers = itertools.count(1)

    def _said(self) -> Iterator[str]:
        yield from self._process.stderr or ()

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return what the browser answers."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while (answer := json.loads(self._socket.recv())).get("id") != number:
            pass
        return dict(answer["result"])

    def open(self, address: str, size: tuple[int, int]) -> None:
        """Show a page in a window of some size [px]."""
        self.ask("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
                 deviceScaleFactor=1, mobile=False)  # fmt: skip
        self.ask("Page.navigate", url=address)

    def value(self, script: str) -> Any:
        """Return what a script in the page says."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        return answer["result"].get("value")

    def wait(self, text: str) -> None:
        """Return once the page says something; what hides it is closed."""
        end = time.monotonic() + PATIENCE
        close = "document.querySelectorAll('.mantine-Notification-closeButton')"
        while text not in str(self.value("document.body ? document.body.innerText : ''")):
            if time.monotonic() > end:
                raise TimeoutError(f"The page does not say {text!r}.")
            time.sleep(0.3)
        self.value(f"{close}.forEach(x => x.click())")

    def click(self, selector: str, text: str = "") -> None:
        """Click on the last element that a selector finds and that says something, once it can."""
        script = (
            f"(() => {{ const all = [...document.querySelectorAll({json.dumps(selector)})]"
            f".filter(x => x.innerText.includes({json.dumps(text)})"
            " && x.offsetWidth && !x.disabled);"
            "if (!all.length) return null;"
            "const x = all[all.length - 1]; x.scrollIntoView({block: 'center'});"
            "const r = x.getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2] })()"
        )
        end = time.monotonic() + PATIENCE
        while (place := self.value(script)) is None:
            if time.monotonic() > end:
                raise TimeoutError(f"Nothing can be clicked that says {text!r}.")
            time.sleep(0.3)
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left",
                     clickCount=1)  # fmt: skip

    def write(self, text: str) -> None:
        """Type a text into the first empty field for one."""
        self.value(
            "[...document.querySelectorAll('input')]"
            ".find(x => x.type === 'text' && x.offsetWidth && !x.value).focus()"
        )
        self.ask("Input.insertText", text=text)

    def picture(self, **clip: Any) -> Image.Image:
        """Return what it shows."""
        answer = self.ask("Page.captureScreenshot", format="png", **clip)
        return Image.open(io.BytesIO(base64.b64decode(answer["data"]))).convert("RGB")

    def close(self) -> None:
        """End it."""
        self._socket.close()
        self._process.terminate()
        self._process.wait()


def command(*words: str | Path) -> list[str]:
    """Return a command of the suite."""
    return [str(ROOT / "payload-id"), *map(str, words)]


@contextmanager
def served(log: Path, *words: str | Path) -> Iterator[str]:
    """Run a command that serves a page; give what it has said once the page is there."""
    with log.open("w") as file:
        running = subprocess.Popen(
            command(*words), stdout=file, stderr=subprocess.STDOUT,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        try:
            while "Ctrl-C" not in log.read_text():
                if running.poll() is not None:
                    raise RuntimeError(log.read_text())
                time.sleep(0.3)
            yield log.read_text()
        finally:
            running.send_signal(signal.SIGINT)
            running.wait()


def named(pattern: str, said: str) -> str:
    """Return what a command has said in the place of a pattern."""
    return re.findall(pattern, said)[0]


def show_report(browser: Browser, page: Path) -> None:
    """Take both sheets of a report."""
    browser.open(page.as_uri(), PAGE)
    browser.ask("Emulation.setEmulatedMedia", media="print")
    time.sleep(2.0)
    for k in (0, 1):
        clip = {"x": 0, "y": k * PAGE[1], "width": PAGE[0], "height": PAGE[1], "scale": 1}
        found = browser.picture(clip=clip, captureBeyondViewport=True)
        found.quantize(128).save(IMAGES / f"report_{k + 1}.png", optimize=True)
    browser.ask("Emulation.setEmulatedMedia", media="")


def show_film(browser: Browser, said: str) -> None:
    """Take the film of a recording in the browser."""
    browser.open(named(r"(http://\S+)", said), (1328, 720))
    browser.wait("Intervals")
    browser.click("[role=tab]", "Intervals")
    time.sleep(8.0)
    frames = []
    for _ in range(FRAMES):
        frames.append(browser.picture().resize(FILM).quantize(64))
        time.sleep(PAUSE)
    frames[0].save(IMAGES / "view.gif", save_all=True, append_images=frames[1:],
                   duration=int(1e3 * PAUSE), loop=0, optimize=True)  # fmt: skip


def show_live(browser: Browser, said: str) -> None:
    """Take the live page with a motion that is previewed."""
    browser.open(named(r"(http://\S+)", said), (1500, 950))
    browser.wait("token")
    time.sleep(2.0)
    browser.write(named(r"commands: (\S+)", said))
    browser.click("button", "Enter")
    browser.wait("Identify in one go")
    browser.click("button", "Plan")
    browser.wait("is certified")
    browser.click("button", "Preview")
    browser.wait("The orange arm")
    browser.click("[role=tab]", "Plan")
    time.sleep(4.0)
    browser.picture().save(IMAGES / "view.png", optimize=True)


def main() -> None:
    """Make all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browser", default=shutil.which("chromium") or "chromium")
    program = parser.parse_args().browser
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(command("demo", "--seed", SEED, "--out", folder), check=True)
        run = next(folder.glob("demo_*"))
        shutil.copy(run / "intervals.png", IMAGES / "demo.png")
        subprocess.run(command("report", run, "--out", folder / "report.html"), check=True)
        browser = Browser(program, folder / "browser")
        try:
            show_report(browser, folder / "report.html")
            with served(folder / "film.log", "view", run / "bag") as said:
                show_film(browser, said)
            with served(folder / "live.log", "demo", "--view", "--seed", SEED, "--out",
                        folder / "live") as said:  # fmt: skip
                show_live(browser, said)
        finally:
            browser.close()


if __name__ == "__main__":
    main()
