"""A learning switch on os-ken (OpenFlow 1.3), which knows nothing of Weir: a tenant's controller.

usage: learning.py PORT [SECONDS]     needs: pip install os-ken

It asks for every packet that no entry takes, learns where the sender is, and adds an entry for the pair of addresses once it
knows where the receiver is. Each address that it learns it prints; with SECONDS, so often also what the entries have counted.
"""
import sys

from os_ken import cfg
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib import hub
from os_ken.ofproto import ofproto_v1_3


class LearningSwitch(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.places = {}
        self.switches = {}
        if len(sys.argv) > 2:
            hub.spawn(self.count, float(sys.argv[2]))

    def count(self, seconds):
        while True:
            for dp in list(self.switches.values()):
                dp.send_msg(dp.ofproto_parser.OFPFlowStatsRequest(dp))
            hub.sleep(seconds)

    @set_ev_cls(ofp_event.EventOFPFlowStatsReply, MAIN_DISPATCHER)
    def counted(self, ev):
        packets, size = (sum(getattr(e, f"{what}_count") for e in ev.msg.body) for what in ("packet", "byte"))
        print(f"switch {ev.msg.datapath.id}: {packets} packets, {size} bytes", flush=True)

    def add(self, dp, priority, match, out):
        parser, ofp = dp.ofproto_parser, dp.ofproto
        apply = parser.OFPInstructionActions(ofp.OFPIT_APPLY_ACTIONS, [parser.OFPActionOutput(out, ofp.OFPCML_NO_BUFFER)])
        dp.send_msg(parser.OFPFlowMod(dp, priority=priority, match=match, instructions=[apply]))

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def features(self, ev):
        dp = ev.msg.datapath
        self.places[dp.id], self.switches[dp.id] = {}, dp
        print(f"switch {dp.id}", flush=True)
        self.add(dp, 0, dp.ofproto_parser.OFPMatch(), dp.ofproto.OFPP_CONTROLLER)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        msg, dp = ev.msg, ev.msg.datapath
        ofp, parser = dp.ofproto, dp.ofproto_parser
        dst, src = (":".join(f"{b:02x}" for b in msg.data[i:i + 6]) for i in (0, 6))
        in_port, places = msg.match["in_port"], self.places[dp.id]
        if places.get(src) != in_port:
            print(f"switch {dp.id}: {src} at port {in_port}", flush=True)
        places[src] = in_port
        out = places.get(dst, ofp.OFPP_FLOOD)
        if out != ofp.OFPP_FLOOD:
            self.add(dp, 10, parser.OFPMatch(in_port=in_port, eth_src=src, eth_dst=dst), out)
        dp.send_msg(parser.OFPPacketOut(dp, ofp.OFP_NO_BUFFER, in_port, [parser.OFPActionOutput(out)], msg.data))


if __name__ == "__main__":
    # os-ken finds the handlers of an application by its module's name; run as a script it is __main__.
    cfg.CONF(args=["--ofp-listen-host", "127.0.0.1", "--ofp-tcp-listen-port", sys.argv[1]], project="os_ken")
    app_manager.AppManager.run_apps(["__main__", "os_ken.controller.ofp_handler"])
