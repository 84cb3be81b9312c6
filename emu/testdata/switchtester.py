"""The switch tester of os-ken (os_ken.tests.switch.tester) on some of the cases in os-ken's own distribution.

usage: switchtester.py PORT CASES

CASES is a directory or a file below os_ken/tests/switch, such as of13/match or of13/meter/01_DROP_00_KBPS_00_1M.json. Switch 1 is tested,
switch 2 tests it; their ports 1, 2 and 3 are joined. Each result stands on a line of its own, that of a failure with its reason
on the next one; the last line counts them.

Cases of throughput ask for up to 20,000 packets/s, which a sender in Python does not reach on every machine, and the tester's own sends too few
where its timer is late. So all rates of such a case are divided by one number, that it sends MOST_RATE at most, and what is to be sent is counted
from the clock. What is compared, and its tolerance of a tenth, stay the tester's.
"""
import json
import logging
import os
import pathlib
import sys
import tempfile
import time

os.environ["OSKEN_HUB_TYPE"] = "eventlet"  # the tester cannot use native threads

from os_ken import cfg, flags, log  # noqa: E402, F401 (they register the options that the tester reads)
from os_ken.base import app_manager  # noqa: E402
import os_ken.controller.controller  # noqa: E402, F401
from os_ken.lib import hub  # noqa: E402
import os_ken.tests.switch  # noqa: E402
from os_ken.tests.switch import tester  # noqa: E402

MOST_RATE = 300  # packets/s
DURATION = 20  # s: what a meter lets through at once, a second's worth, is half the tolerance


def find(node, name):
    """find yields the dictionaries in a case that have a key."""
    if isinstance(node, dict):
        if name in node:
            yield node
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from find(child, name)


def slow_down(case):
    """slow_down divides all rates of a case by the same number."""
    sends = list(find([t.get("ingress") for t in case.get("tests", [])], "pktps"))
    by = max([1] + [s["pktps"] / MOST_RATE for s in sends])
    for s in sends:
        s["duration_time"] = DURATION
    if by > 1:
        for name in ("pktps", "kbps"):
            for d in find(case["tests"], name):
                d[name] = d[name] / by
        for d in find(case.get("prerequisite", []), "OFPMeterMod"):
            for band in find(d, "rate"):
                assert band["rate"] / by >= 1, case["description"]
                band["rate"] = round(band["rate"] / by)
    return case


def slowed(cases, into):
    """slowed copies cases, in directories as they are, and returns where the copies are."""
    top = cases if cases.is_dir() else cases.parent
    for path in cases.rglob("*.json") if cases.is_dir() else [cases]:
        suite = [slow_down(c) if isinstance(c, dict) else c for c in json.loads(path.read_text())]
        copy = pathlib.Path(into) / path.relative_to(top)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(json.dumps(suite))
    return into


def send_by_the_clock(self, arg):
    """send_by_the_clock takes the place of the tester's sender: what is due since the first call is sent, however late a timer is."""
    began, sent = time.monotonic(), 0
    rate = arg["packet_counter_inc"] / tester.CONTINUOUS_THREAD_INTVL
    while self.ingress_event is not None and not self.ingress_event._cond:
        while sent < (time.monotonic() - began) * rate:
            data = arg["packet_binary"]
            if arg["randomize"]:
                packet = eval("/".join(arg["packet_text"]), vars(tester))  # as the tester does: a case's packet is Python
                packet.serialize()
                data = packet.data
            try:
                self.tester_sw.send_packet_out(data)
            except Exception as err:  # the tester looks here
                self.thread_msg = err
                self.ingress_event.set()
                return
            sent += 1
        hub.sleep(tester.CONTINUOUS_THREAD_INTVL)


if __name__ == "__main__":
    tester.OfTester._send_packet_thread = send_by_the_clock
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
    with tempfile.TemporaryDirectory() as copies:
        cases = slowed(pathlib.Path(os_ken.tests.switch.__file__).parent / sys.argv[2], copies)
        cfg.CONF(args=["--ofp-listen-host", "127.0.0.1", "--ofp-tcp-listen-port", sys.argv[1], "--test-switch-dir", cases], project="os_ken")
        app_manager.AppManager.run_apps(["os_ken.tests.switch.tester", "os_ken.controller.ofp_handler"])
