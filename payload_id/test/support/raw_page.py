"""A client of the view that is no browser: it sees all that is sent, and sends what it likes."""

from __future__ import annotations

import re
import threading
import time

import msgspec
import viser
import zstandard
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": [1.0, 0.0, 0.0, 0.0], "position": [1.0, 0.0, 0.0],
    "fov": 1.0, "near": 0.1, "far": 100.0, "image_height": 100, "image_width": 100,
    "look_at": [0.0, 0.0, 0.0], "up_direction": [0.0, 0.0, 1.0],
}  # fmt: skip


class RawPage:
    """One connection.

    Attributes:
        heard: Everything received, as text.
        messages: The same, message by message.
    """

    def __init__(self, port, origin=None):
        self.heard, self.messages = "", []
        self._connection = connect(
            f"ws://127.0.0.1:{port}", origin=origin, open_timeout=10.0, max_size=None,
            subprotocols=[f"viser-v{viser.__version__}"],
        )  # fmt: skip
        threading.Thread(target=self._listen, daemon=True).start()
        self.send(CAMERA)

    def send(self, message):
        self._connection.send(msgspec.msgpack.encode(message))

    def set(self, uuid, **values):
        self.send({"type": "GuiUpdateMessage", "uuid": uuid, "updates": values})

    def click(self, uuid):
        self.set(uuid, value=True)

    def uuid(self, label):
        """Return the name of the newest control whose label ends like that."""
        found = [
            message["uuid"]
            for message in self.messages
            if str((message.get("props") or {}).get("label", "")).endswith(label)
        ]
        return found[-1] if found else None

    def wait(self, condition, limit=15.0):
        end = time.monotonic() + limit
        while not condition():
            assert time.monotonic() < end, self.heard[-2000:]
            time.sleep(0.02)

    def close(self):
        self._connection.close()

    def _listen(self):
        try:
            while True:
                data = self._connection.recv()
                length = int.from_bytes(data[8:16], "little")
                inner = zstandard.ZstdDecompressor().decompress(data[16 : 16 + length])
                found = msgspec.msgpack.decode(inner)["messages"]
                self.messages += found
                self.heard += re.sub(r"\\", "", repr(found))
        except ConnectionClosed:
            return
