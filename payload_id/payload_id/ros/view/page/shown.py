"""How a page is dressed, and what it shows already, so that only what is new is sent."""

from __future__ import annotations

from typing import Any

BRAND = (0, 114, 178)
WIDTH = 380.0  # [px] of the panel with the controls


def dress(gui: Any) -> None:
    """Give a page its colour and the place of its controls."""
    gui.configure_theme(show_logo=False, show_share_button=False, brand_color=BRAND)
    gui.main_panel.dock_right()
    gui.main_panel.set_width(WIDTH)


class Shown:
    """The newest value of each thing that is shown."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self._values: dict[str, Any] = {}

    def is_news(self, name: str, value: Any) -> bool:
        """Note what is shown from now on; tell whether it is another than before."""
        news = name not in self._values or self._values[name] != value
        self._values[name] = value
        return news

    def write(self, handle: Any, text: str) -> None:
        """Have a handle show a text, if it is another one than before."""
        if self.is_news(f"text {id(handle)}", text):
            handle.content = text

    def set(self, handle: Any, name: str, value: Any) -> None:
        """Give a property of a handle a value, if it is another one than before."""
        if self.is_news(f"{name} {id(handle)}", value):
            setattr(handle, name, value)
