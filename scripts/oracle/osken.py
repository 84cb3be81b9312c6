"""Decodes OpenFlow messages with os-ken.

Of group-mods, meter-mods and requests for groups and meters, which only a controller sends, os-ken has no parser: they
are made of what its parsers of buckets and bands read, and os-ken has to write the same octets.

Standard input: one message a line, hexadecimal. Standard output: one JSON document a line, {"ok": what to_jsondict says}
or {"error": why not}. Octets are 0x and hexadecimal digits. One process decodes all messages.
"""

import binascii
import json
import logging
import signal
import struct
import sys

from os_ken.ofproto import ofproto_parser, ofproto_v1_0, ofproto_v1_0_parser  # noqa: F401
from os_ken.ofproto import ofproto_v1_3 as v13, ofproto_v1_3_parser as v13_parser
from os_ken.ofproto.ofproto_protocol import ProtocolDesc


def decode(message):
    version, kind, length, xid = ofproto_parser.header(message)
    datapath = ProtocolDesc(version=version)
    if (version, kind) in OF_CONTROLLERS:
        decoded = OF_CONTROLLERS[version, kind](datapath, bytes(message))
        decoded.set_xid(xid)
        decoded.serialize()
        if bytes(decoded.buf) != bytes(message):
            raise ValueError("os-ken writes %s" % decoded.buf.hex())
    else:
        decoded = ofproto_parser.msg(datapath, version, kind, length, xid, message)
    if decoded is None:
        raise ValueError("os-ken made no message of it")
    return octets_together(decoded.to_jsondict(encode_string=hexadecimal))


def group_mod(datapath, message):
    command, kind, group = struct.unpack_from(v13.OFP_GROUP_MOD_PACK_STR, message, v13.OFP_HEADER_SIZE)
    buckets = items(v13_parser.OFPBucket, message, v13.OFP_GROUP_MOD_SIZE)
    return v13_parser.OFPGroupMod(datapath, command, kind, group, buckets)


def meter_mod(datapath, message):
    command, flags, meter = struct.unpack_from(v13.OFP_METER_MOD_PACK_STR, message, v13.OFP_HEADER_SIZE)
    bands = items(v13_parser.OFPMeterBandHeader, message, v13.OFP_METER_MOD_SIZE)
    return v13_parser.OFPMeterMod(datapath, command, flags, meter, bands)


def items(cls, message, offset):
    found = []
    while offset < len(message):
        found.append(cls.parser(message, offset))
        offset += found[-1].len
    return found


def multipart_request(datapath, message):
    kind, flags = struct.unpack_from(v13.OFP_MULTIPART_REQUEST_PACK_STR, message, v13.OFP_HEADER_SIZE)
    if kind not in REQUESTS:
        raise ValueError("no request of this kind is tried")
    cls, body = REQUESTS[kind]
    return cls(datapath, flags, *struct.unpack_from(body, message, v13.OFP_MULTIPART_REQUEST_SIZE))


OF_CONTROLLERS = {
    (v13.OFP_VERSION, v13.OFPT_GROUP_MOD): group_mod,
    (v13.OFP_VERSION, v13.OFPT_METER_MOD): meter_mod,
    (v13.OFP_VERSION, v13.OFPT_MULTIPART_REQUEST): multipart_request,
}

REQUESTS = {
    v13.OFPMP_GROUP: (v13_parser.OFPGroupStatsRequest, v13.OFP_GROUP_STATS_REQUEST_PACK_STR),
    v13.OFPMP_GROUP_DESC: (v13_parser.OFPGroupDescStatsRequest, ""),
    v13.OFPMP_GROUP_FEATURES: (v13_parser.OFPGroupFeaturesStatsRequest, ""),
    v13.OFPMP_METER: (v13_parser.OFPMeterStatsRequest, v13.OFP_METER_MULTIPART_REQUEST_PACK_STR),
    v13.OFPMP_METER_CONFIG: (v13_parser.OFPMeterConfigStatsRequest, v13.OFP_METER_MULTIPART_REQUEST_PACK_STR),
    v13.OFPMP_METER_FEATURES: (v13_parser.OFPMeterFeaturesStatsRequest, ""),
}


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
