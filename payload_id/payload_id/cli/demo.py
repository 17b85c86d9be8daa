import argparse
from typing import Any
def add_parser(verbs: Any) -> None:
    parser = verbs.add_parser("demo")
