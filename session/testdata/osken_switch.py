"""An os-ken application for the tests of a switch's end: a controller that is not ours.

usage: osken_switch.py VERSION PORT     (VERSION is 1.0 or 1.3)

It does with each switch what applications do: a table-miss entry, a barrier, the switch's description, a role, and it
floods each packet. The ports os-ken asks for by itself. What it learns it prints, a JSON object a line.
"""
import json
import logging
import sys

from os_ken import cfg
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, HANDSHAKE_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.ofproto import ofproto_v1_0, ofproto_v1_3

VERSION = {"1.0": ofproto_v1_0, "1.3": ofproto_v1_3}[sys.argv[1]]
EVERY = [HANDSHAKE_DISPATCHER, CONFIG_DISPATCHER, MAIN_DISPATCHER]


def say(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


class Application(app_manager.OSKenApp):
    OFP_VERSIONS = [VERSION.OFP_VERSION]

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def features(self, ev):
        dp = ev.msg.datapath
        say("features", dpid=ev.msg.datapath_id, tables=ev.msg.n_tables)
        ofp, parser = dp.ofproto, dp.ofproto_parser
        out = [parser.OFPActionOutput(ofp.OFPP_CONTROLLER, 0xffff)]
        if sys.argv[1] == "1.3":
            apply = [parser.OFPInstructionActions(ofp.OFPIT_APPLY_ACTIONS, out)]
            dp.send_msg(parser.OFPFlowMod(datapath=dp, cookie=0xabc, priority=0, match=parser.OFPMatch(), instructions=apply))
            dp.send_msg(parser.OFPRoleRequest(dp, ofp.OFPCR_ROLE_MASTER, 7))
            dp.send_msg(parser.OFPRoleRequest(dp, ofp.OFPCR_ROLE_SLAVE, 6))
        else:
            dp.send_msg(parser.OFPFlowMod(datapath=dp, cookie=0xabc, priority=0, match=parser.OFPMatch(),
                                          command=ofp.OFPFC_ADD, actions=out))
        dp.send_msg(parser.OFPDescStatsRequest(dp, 0))
        dp.send_msg(parser.OFPGetConfigRequest(dp))
        dp.send_msg(parser.OFPEchoRequest(dp, b"ping"))
        dp.send_msg(parser.OFPBarrierRequest(dp))

    @set_ev_cls(ofp_event.EventOFPBarrierReply, EVERY)
    def barrier(self, ev):
        say("barrier")

    @set_ev_cls(ofp_event.EventOFPEchoReply, EVERY)
    def echo(self, ev):
        say("echo", data=ev.msg.data.decode())

    @set_ev_cls(ofp_event.EventOFPGetConfigReply, EVERY)
    def config(self, ev):
        say("config", miss_send_len=ev.msg.miss_send_len)

    @set_ev_cls(ofp_event.EventOFPDescStatsReply, EVERY)
    def desc(self, ev):
        mfr = ev.msg.body.mfr_desc
        say("desc", mfr=mfr.decode().rstrip("\0") if isinstance(mfr, bytes) else mfr)

    @set_ev_cls(ofp_event.EventOFPErrorMsg, EVERY)
    def error(self, ev):
        say("error", type=ev.msg.type, code=ev.msg.code)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        msg, dp = ev.msg, ev.msg.datapath
        ofp, parser = dp.ofproto, dp.ofproto_parser
        port = msg.match["in_port"] if sys.argv[1] == "1.3" else msg.in_port
        say("packet_in", port=port, length=msg.total_len, buffer=msg.buffer_id)
        data = msg.data if msg.buffer_id == 0xffffffff else None
        dp.send_msg(parser.OFPPacketOut(datapath=dp, buffer_id=msg.buffer_id, in_port=port,
                                        actions=[parser.OFPActionOutput(ofp.OFPP_FLOOD)], data=data))


if sys.argv[1] == "1.3":
    @set_ev_cls(ofp_event.EventOFPRoleReply, EVERY)
    def role(self, ev):
        say("role", role=ev.msg.role, generation=ev.msg.generation_id)

    @set_ev_cls(ofp_event.EventOFPPortDescStatsReply, EVERY)
    def ports(self, ev):
        say("ports", numbers=[p.port_no for p in ev.msg.body])

    Application.role, Application.ports = role, ports

if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    # os-ken finds the handlers of an application by its module's name; run as a script it is __main__.
    cfg.CONF(args=["--ofp-listen-host", "127.0.0.1", "--ofp-tcp-listen-port", sys.argv[2]], project="os_ken")
    app_manager.AppManager.run_apps(["__main__", "os_ken.controller.ofp_handler"])
