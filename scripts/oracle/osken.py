"""Decodes OpenFlow messages with os-ken.

Standard input: one message a line, hexadecimal. Standard output: one JSON document a line, {"ok": what to_jsondict says}
or {"error": why not}. Octets are 0x and hexadecimal digits. One process decodes all messages.
"""

import binascii
import json
import logging
import signal
import sys

from os_ken.ofproto import ofproto_parser, ofproto_v1_0, ofproto_v1_0_parser  # noqa: F401
from os_ken.ofproto import ofproto_v1_3, ofproto_v1_3_parser  # noqa: F401
from os_ken.ofproto.ofproto_protocol import ProtocolDesc


def decode(message):
    version, kind, length, xid = ofproto_parser.header(message)
    datapath = ProtocolDesc(version=version)
    decoded = ofproto_parser.msg(datapath, version, kind, length, xid, message)
    if decoded is None:
        raise ValueError("os-ken made no message of it")
    return octets_together(decoded.to_jsondict(encode_string=hexadecimal))


def octets_together(part):
    """Octets that os-ken keeps as a list of numbers, under the name data, as one string."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name == "data" and isinstance(value, list) and all(octet < 256 for octet in value):
                part[name] = hexadecimal(value).decode()
            else:
                octets_together(value)
    elif isinstance(part, list):
        for value in part:
            octets_together(value)
    return part


def hexadecimal(octets):
    return b"0x" + binascii.hexlify(bytes(octets))


def give_up(_signal, _frame):
    raise TimeoutError("no end within a second")


def main():
    logging.disable(logging.CRITICAL)
    signal.signal(signal.SIGALRM, give_up)
    for line in sys.stdin:
        try:
            signal.alarm(1)
            answer = {"ok": decode(bytearray.fromhex(line.strip()))}
        except Exception as reason:  # whatever os-ken raises is its answer
            answer = {"error": "%s: %s" % (type(reason).__name__, reason)}
        print(json.dumps(answer, default=lambda octets: hexadecimal(octets).decode()), flush=True)


main()
