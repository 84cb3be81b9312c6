package node_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// versions runs a test with either version.
func versions(t *testing.T, f func(t *testing.T, v openflow.Version)) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run(v.String(), func(t *testing.T) { f(t, v) })
	}
}

func dpid(n uint64) string { return fmt.Sprintf("%016x", n) }

// ping is an ICMP echo request from one host to another.
func ping(src, dst *loadswitch.Host) []byte {
	k := packet.Key{
		EthSrc: src.MAC, EthDst: dst.MAC, EtherType: packet.TypeIPv4, IPSrc: packet.AddrFrom4(src.IP),
		IPDst:   packet.AddrFrom4(dst.IP),
		IPProto: packet.ProtoICMPv4, ICMPType: 8, TTL: 64,
		Layers: packet.LayerEthernet | packet.LayerIPv4 | packet.LayerICMPv4,
	}
	return packet.AppendICMPEcho(nil, &k, 7, 1, []byte("as long as it takes"))
}

// ends are the first and the last switch of a line with their hosts.
func ends(n *loadswitch.Network) (first, last *loadswitch.Switch, src, dst *loadswitch.Host) {
	first, last = n.Switches[0], n.Switches[len(n.Switches)-1]
	return first, last, &first.Hosts[0], &last.Hosts[0]
}

// The main job on three switches in a line: the first packet of a pair has one flow-mod sent to
// each switch, the last switch's before the first one's, and is released once.
func TestTheFirstPacketInstallsItsPath(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		n := i.emulate("linear:3", v)
		first, last, src, dst := ends(n)
		before := barriers(n)
		mark := i.journal.mark()
		if err := first.PacketIn(src.At.Port, openflow.NoBuffer, ping(src, dst)); err != nil {
			t.Fatal(err)
		}
		i.await("the packet's release", func() bool { return len(i.journal.since(mark, isData)) > 0 })
		got := i.journal.since(mark, func(e entry) bool { return !isProbe(e) && e.m.Type() != openflow.TypeMultipartRequest })
		if len(got) != 4 {
			t.Fatalf("%d messages for one pair on three switches, want 3 flow-mods and a packet-out: %v", len(got), texts(got))
		}
		downstream := []uint64{got[0].dpid, got[1].dpid}
		slices.Sort(downstream)
		if !slices.Equal(downstream, []uint64{2, 3}) || got[2].dpid != 1 || got[3].dpid != 1 ||
			!isFlowMod(got[2]) || !isData(got[3]) {
			t.Fatalf("not downstream first, then the ingress switch, then the packet: %v", texts(got))
		}
		for _, e := range got[:3] {
			checkPairRule(t, n, e, v)
		}
		if p := outputs(got[3].m); len(p) != 1 || p[0] != 1 {
			t.Errorf("the packet left by %v, want port 1", p)
		}
		for k, sw := range []uint64{0, 1, 1} {
			if d := barriers(n)[k] - before[k]; d != sw {
				t.Errorf("switch %d got %d barriers, want %d", k+1, d, sw)
			}
		}
		if last.Entries() == 0 || i.metric("weir_forward_total", "kind", "pairs") != 1 {
			t.Errorf("%v pairs counted", i.metric("weir_forward_total", "kind", "pairs"))
		}
		for _, disjoint := range []string{"", "link"} {
			paths := must[client.Page[client.Path]](i)(i.api.Paths(t.Context(), src.MAC.String(), dst.MAC.String(),
				2, disjoint)).Items
			if len(paths) != 1 || !paths[0].InUse {
				t.Errorf("paths that share no %q are %+v, want the one in use", disjoint, paths)
			}
		}
	})
}

// barriers is how many each switch of a network got.
func barriers(n *loadswitch.Network) []uint64 {
	var counts []uint64
	for _, sw := range n.Switches {
		counts = append(counts, sw.Session().Stats().In[openflow.TypeBarrierRequest])
	}
	return counts
}

func texts(list []entry) []string {
	var all []string
	for _, e := range list {
		all = append(all, fmt.Sprintf("\n%d: %s", e.dpid, openflow.Text(e.h, e.m)))
	}
	return all
}

// checkPairRule wants a rule of switch plan for the pair from the first host of a line to the last.
func checkPairRule(t *testing.T, n *loadswitch.Network, e entry, v openflow.Version) {
	t.Helper()
	_, _, src, dst := ends(n)
	fm := e.m.(*openflow.FlowMod)
	from, _ := fm.Match.Uint(openflow.FieldEthSrc)
	to, _ := fm.Match.Uint(openflow.FieldEthDst)
	vlan, hasVLAN := fm.Match.Uint(openflow.FieldVLANVID)
	table := uint8(1)
	if v == openflow.V10 {
		table = 0
	}
	// Ports of a line: 1 is the link at both ends; the switch between has 1 to the first and 2 to
	// the last.
	out := map[uint64]uint32{1: 1, 2: 2, 3: 2}[e.dpid]
	if fm.Command != openflow.FlowAdd || fm.Priority != 10000 || fm.IdleTimeout != uint16(55+5*e.dpid) ||
		from != src.MAC.Uint64() ||
		to != dst.MAC.Uint64() || !hasVLAN || vlan != 0 || fm.Table != table || fm.Cookie>>48 != 0x0012 {
		t.Errorf("switch %d got %s", e.dpid, openflow.Text(e.h, e.m))
	}
	if p := outputs(fm); len(p) != 1 || p[0] != out {
		t.Errorf("switch %d sends to %v, want %d", e.dpid, p, out)
	}
}

// What the network is shows at the API: switches, links, hosts, paths, desired rules and those that
// the switch itself has.
func TestTheAPIShowsTheNetwork(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		n := i.emulate("linear:3", v)
		_, _, src, dst := ends(n)
		for k, sw := range i.switches() {
			if sw.DPID != dpid(uint64(k+1)) || !sw.Connected || sw.OpenFlow != v.String() ||
				sw.Manufacturer != "Weir" || sw.Master != i.cfg.Name {
				t.Errorf("switch %d is %+v", k+1, sw)
			}
		}
		if got := linkTexts(i.links()); !slices.Equal(got, []string{"1.1>2.1", "2.1>1.1", "2.2>3.1", "3.1>2.2"}) {
			t.Errorf("links are %v", got)
		}
		checkHost(t, i, src)
		checkHost(t, i, dst)
		checkPath(t, i, src, dst)
		checkEntries(t, i, n)
		members := must[client.Page[client.Member]](i)(i.api.Members(t.Context())).Items
		if len(members) != 1 || members[0].Switches != 3 || members[0].Address != i.at.API {
			t.Errorf("members are %+v, the API is at %s", members, i.at.API)
		}
	})
}

func linkTexts(links []client.Link) []string {
	var all []string
	for _, l := range links {
		all = append(all, fmt.Sprintf("%s.%d>%s.%d", l.Src.DPID[15:], l.Src.Port, l.Dst.DPID[15:], l.Dst.Port))
	}
	slices.Sort(all)
	return all
}

func checkHost(t *testing.T, i *instance, h *loadswitch.Host) {
	t.Helper()
	got := must[client.Host](i)(i.api.Host(t.Context(), h.MAC.String()))
	at := client.Point{DPID: dpid(uint64(h.At.Switch + 1)), Port: h.At.Port}
	if got.At != at || len(got.IPs) != 1 || got.IPs[0] != packet.AddrFrom4(h.IP).Netip().String() || got.State != "confirmed" {
		t.Errorf("host is %+v, want it at %+v", got, at)
	}
}

func checkPath(t *testing.T, i *instance, src, dst *loadswitch.Host) {
	t.Helper()
	got := must[client.Page[client.Path]](i)(i.api.Paths(t.Context(), src.MAC.String(), dst.MAC.String(), 1, "")).Items
	if len(got) != 1 || len(got[0].Hops) != 3 || got[0].Cost != 2 || got[0].InUse {
		t.Fatalf("paths are %+v, want one of 3 hops, cost 2, not in use", got)
	}
	var way []string
	for _, h := range got[0].Hops {
		way = append(way, fmt.Sprintf("%d>%s>%d", *h.In, h.DPID[15:], *h.Out))
	}
	if want := []string{"2>1>1", "1>2>2", "1>3>2"}; !slices.Equal(way, want) {
		t.Errorf("path is %v, want %v", way, want)
	}
}

// checkEntries compares the rules desired of each switch with what the switch itself answers.
func checkEntries(t *testing.T, i *instance, n *loadswitch.Network) {
	t.Helper()
	for k, sw := range n.Switches {
		id := dpid(uint64(k + 1))
		wanted, has := i.flows(id), must[client.Page[client.FlowEntry]](i)(i.api.Entries(t.Context(), id)).Items
		if len(has) != sw.Entries() {
			t.Errorf("switch %d answers %d entries and has %d", k+1, len(has), sw.Entries())
		}
		keys := map[string]bool{}
		for _, e := range has {
			keys[fmt.Sprint(e.Table, e.Priority, e.Match, e.Instructions, e.Cookie)] = true
		}
		for _, f := range wanted {
			if f.State != "installed" || !keys[fmt.Sprint(f.Table, f.Priority, f.Match, f.Instructions, f.Cookie)] {
				t.Errorf("switch %d: %+v is wanted and not there", k+1, f)
			}
		}
		if len(wanted) != len(has) {
			t.Errorf("switch %d: %d rules wanted, %d entries", k+1, len(wanted), len(has))
		}
	}
}

// The stream of events has every row that the lists have.
func TestTheEventsShowTheNetwork(t *testing.T) {
	i := start(t)
	seen := i.watch("switch", "link", "host")
	n := i.emulate("linear:3", openflow.V13)
	want := map[string]int{"switch": 3, "link": 4, "host": 3}
	i.await("the events", func() bool {
		rows := seen()
		return len(rows["switch"]) == want["switch"] && len(rows["link"]) == want["link"] && len(rows["host"]) == want["host"]
	})
	n.Switches[2].Session().Close(nil)
	i.await("the event of a switch that left", func() bool { return string(seen()["switch"][dpid(3)]) == "disconnected" })
}
