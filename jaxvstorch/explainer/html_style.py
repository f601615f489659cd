"""The style sheets of the HTML renderings, which stand beside this module."""

from importlib.resources import files

FRAGMENT = files(__package__).joinpath("html.css").read_text("utf-8")
PAGE = files(__package__).joinpath("html_page.css").read_text("utf-8")
