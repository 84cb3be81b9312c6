"""A learning switch of OpenFlow 1.3 on os-ken, for the tests: a controller as many have been written, that is not ours.

usage: learning13.py PORT

Its table-miss entry sends it the first 128 bytes of each packet; the rest stays in the switch's buffer. It learns where the sender is.
Where it knows the receiver's port, its flow-mod names the buffer: the switch sends the packet by the new entry. Else its packet-out
does: to all ports. Only a packet that is in no buffer goes back as it came. What it sees and does it prints, a JSON object a line.
"""
import json
import logging
import sys

from os_ken import cfg
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, HANDSHAKE_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ethernet
from os_ken.ofproto import ofproto_v1_3

EVERY = [HANDSHAKE_DISPATCHER, CONFIG_DISPATCHER, MAIN_DISPATCHER]
CUT = 128


def say(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


class LearningSwitch(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.places = {}

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def features(self, ev):
        dp = ev.msg.datapath
        ofp, parser = dp.ofproto, dp.ofproto_parser
        self.places[dp.id] = {}
        to_us = [parser.OFPInstructionActions(ofp.OFPIT_APPLY_ACTIONS, [parser.OFPActionOutput(ofp.OFPP_CONTROLLER, CUT)])]
        dp.send_msg(parser.OFPFlowMod(datapath=dp, priority=0, match=parser.OFPMatch(), instructions=to_us))
        dp.send_msg(parser.OFPBarrierRequest(dp))

    @set_ev_cls(ofp_event.EventOFPBarrierReply, EVERY)
    def barrier(self, ev):
        say("ready", switch=ev.msg.datapath.id)

    @set_ev_cls(ofp_event.EventOFPErrorMsg, EVERY)
    def error(self, ev):
        say("error", type=ev.msg.type, code=ev.msg.code)

    @set_ev_cls(ofp_event.EventOFPFlowRemoved, MAIN_DISPATCHER)
    def removed(self, ev):
        say("flow_removed", packets=ev.msg.packet_count)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        msg, dp = ev.msg, ev.msg.datapath
        ofp, parser = dp.ofproto, dp.ofproto_parser
        in_port, buffered = msg.match["in_port"], msg.buffer_id != ofp.OFP_NO_BUFFER
        say("packet_in", buffered=buffered, bytes=len(msg.data), total=msg.total_len)
        eth, _, _ = ethernet.ethernet.parser(msg.data)
        places = self.places[dp.id]
        places[eth.src] = in_port
        out = places.get(eth.dst, ofp.OFPP_FLOOD)
        actions = [parser.OFPActionOutput(out)]
        if out != ofp.OFPP_FLOOD:
            match = parser.OFPMatch(in_port=in_port, eth_src=eth.src, eth_dst=eth.dst)
            apply = [parser.OFPInstructionActions(ofp.OFPIT_APPLY_ACTIONS, actions)]
            say("flow_mod", buffered=buffered)
            dp.send_msg(parser.OFPFlowMod(datapath=dp, priority=100, match=match, idle_timeout=2, buffer_id=msg.buffer_id,
                                          flags=ofp.OFPFF_SEND_FLOW_REM, instructions=apply))
            if buffered:
                return
        say("packet_out", buffered=buffered)
        dp.send_msg(parser.OFPPacketOut(datapath=dp, buffer_id=msg.buffer_id, in_port=in_port, actions=actions,
                                        data=None if buffered else msg.data))


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    # os-ken finds the handlers of an application by its module's name; run as a script it is __main__.
    cfg.CONF(args=["--ofp-listen-host", "127.0.0.1", "--ofp-tcp-listen-port", sys.argv[1]], project="os_ken")
    app_manager.AppManager.run_apps(["__main__", "os_ken.controller.ofp_handler"])
