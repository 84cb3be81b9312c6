"""The switch tester of os-ken (os_ken.tests.switch.tester) on some of the cases in os-ken's own distribution.

usage: switchtester.py PORT CASES

CASES is a directory or a file below os_ken/tests/switch, such as of13/match or of13/meter/01_DROP_00_KBPS_00_1M.json. Switch 1 is tested,
switch 2 tests it; their ports 1, 2 and 3 are joined. Each result stands on a line of its own, that of a failure with its reason
on the next one; the last line counts them.
"""
import logging
import os
import sys

os.environ["OSKEN_HUB_TYPE"] = "eventlet"  # the tester cannot use native threads

from os_ken import cfg, flags, log  # noqa: E402, F401 (they register the options that the tester reads)
from os_ken.base import app_manager  # noqa: E402
import os_ken.controller.controller  # noqa: E402, F401
import os_ken.tests.switch  # noqa: E402

if __name__ == "__main__":
    cases = os.path.join(os.path.dirname(os_ken.tests.switch.__file__), sys.argv[2])
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
    cfg.CONF(args=["--ofp-listen-host", "127.0.0.1", "--ofp-tcp-listen-port", sys.argv[1], "--test-switch-dir", cases], project="os_ken")
    app_manager.AppManager.run_apps(["os_ken.tests.switch.tester", "os_ken.controller.ofp_handler"])
