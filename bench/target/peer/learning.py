"""A learning switch on os-ken, OpenFlow 1.0 or 1.3, to be measured beside other controllers. It does what a learning switch has to
do, and nothing else: no output, no log.

usage: learning.py 1.0|1.3 PORT

It learns where a packet's sender is. Where it knows the receiver's port it has the switch keep an entry for the pair of addresses, and
the packet sent by it: by its buffer's number, or as it came. Else the packet goes to all ports.
"""
import logging
import sys

from os_ken import cfg
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ethernet
from os_ken.ofproto import ofproto_v1_0, ofproto_v1_3

VERSION = {"1.0": ofproto_v1_0, "1.3": ofproto_v1_3}[sys.argv[1]]
IDLE, PRIORITY = 60, 100


class LearningSwitch(app_manager.OSKenApp):
    OFP_VERSIONS = [VERSION.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.places = {}

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def features(self, ev):
        dp = ev.msg.datapath
        ofp, parser = dp.ofproto, dp.ofproto_parser
        self.places[dp.id] = {}
        if VERSION is ofproto_v1_3:
            to_us = parser.OFPActionOutput(ofp.OFPP_CONTROLLER, ofp.OFPCML_NO_BUFFER)
            dp.send_msg(self.entry(dp, priority=0, match=parser.OFPMatch(), actions=[to_us]))

    def entry(self, dp, match, actions, **values):
        ofp, parser = dp.ofproto, dp.ofproto_parser
        if VERSION is ofproto_v1_0:
            return parser.OFPFlowMod(datapath=dp, match=match, cookie=0, command=ofp.OFPFC_ADD, hard_timeout=0, flags=0, actions=actions,
                                     **values)
        apply = [parser.OFPInstructionActions(ofp.OFPIT_APPLY_ACTIONS, actions)]
        return parser.OFPFlowMod(datapath=dp, match=match, instructions=apply, **values)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        msg, dp = ev.msg, ev.msg.datapath
        ofp, parser = dp.ofproto, dp.ofproto_parser
        if VERSION is ofproto_v1_0:
            in_port, no_buffer = msg.in_port, 0xffffffff
        else:
            in_port, no_buffer = msg.match["in_port"], ofp.OFP_NO_BUFFER
        eth, _, _ = ethernet.ethernet.parser(msg.data)
        places = self.places[dp.id]
        places[eth.src] = in_port
        out = places.get(eth.dst, ofp.OFPP_FLOOD)
        actions = [parser.OFPActionOutput(out)]
        if out != ofp.OFPP_FLOOD:
            names = {"dl_src": eth.src, "dl_dst": eth.dst} if VERSION is ofproto_v1_0 else {"eth_src": eth.src, "eth_dst": eth.dst}
            dp.send_msg(self.entry(dp, priority=PRIORITY, match=parser.OFPMatch(in_port=in_port, **names), actions=actions,
                                   idle_timeout=IDLE, buffer_id=msg.buffer_id))
            if msg.buffer_id != no_buffer:
                return
        data = msg.data if msg.buffer_id == no_buffer else None
        dp.send_msg(parser.OFPPacketOut(datapath=dp, buffer_id=msg.buffer_id, in_port=in_port, actions=actions, data=data))


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    # os-ken finds the handlers of an application by its module's name; run as a script it is __main__.
    cfg.CONF(args=["--ofp-listen-host", "127.0.0.1", "--ofp-tcp-listen-port", sys.argv[2]], project="os_ken")
    app_manager.AppManager.run_apps(["__main__", "os_ken.controller.ofp_handler"])
