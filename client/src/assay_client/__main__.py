"""`python -m assay_client`."""

import sys

from assay_client._commands import main

sys.exit(main())
