"""The suite shares the cores among processes; threads of linear algebra would get in their way."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is first imported
