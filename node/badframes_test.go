package node_test

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

var (
	good     = packet.MAC{2, 0, 0, 0, 0xaa, 1}
	stranger = packet.MAC{2, 0, 0, 0, 0xbb, 1}
)

// announcement is a well-formed ARP request of a host for itself.
func announcement(mac packet.MAC, ip byte) []byte {
	k := packet.NewARPRequest(mac, [4]byte{10, 0, 0, ip}, [4]byte{10, 0, 0, ip})
	return packet.AppendARP(nil, &k)
}

// truncated is every beginning of a frame that is shorter than it.
func truncated(frame []byte) [][]byte {
	var all [][]byte
	for n := range frame {
		all = append(all, frame[:n])
	}
	return all
}

// edit is a copy of a frame with other bytes at an offset.
func edit(frame []byte, at int, hexBytes string) []byte {
	out := slices.Clone(frame)
	b, _ := hex.DecodeString(hexBytes)
	copy(out[at:], b)
	return out
}

// badFrames are data frames that are malformed, all from hosts that nobody knows.
func badFrames() map[string][][]byte {
	arp := announcement(stranger, 66)
	k := packet.Key{EthSrc: stranger, EthDst: packet.Broadcast, EtherType: packet.TypeIPv4,
		IPSrc: packet.AddrFrom4([4]byte{10, 0, 0, 66}),
		IPDst: packet.AddrFrom4([4]byte{10, 0, 0, 1}), IPProto: packet.ProtoUDP, TTL: 64,
		Layers: packet.LayerEthernet | packet.LayerIPv4 | packet.LayerUDP}
	ip := packet.AppendUDP(nil, &k, make([]byte, 20))
	nd := packet.NewNDSolicit(stranger, packet.AddrFrom(netip.MustParseAddr("fe80::66")),
		packet.AddrFrom(netip.MustParseAddr("fe80::1")))
	lldp := packet.AppendLLDP(nil, packet.LLDPMulticast, stranger, &packet.LLDP{
		ChassisSubtype: packet.ChassisLocal, ChassisID: []byte("0000000000000002"), PortSubtype: packet.PortLocal,
		PortID: []byte("1"), TTL: 6,
	})
	vlan := packet.AppendEthernet(nil, packet.Broadcast, stranger, packet.VLANPresent|5, 0, packet.TypeARP)
	neighbour := packet.AppendND(nil, &nd, 0)
	return map[string][][]byte{
		"a truncated ARP":        truncated(arp),
		"a truncated IPv4":       truncated(ip[:34]),
		"a truncated IPv6":       truncated(neighbour[:54]),
		"a truncated ND":         truncated(neighbour)[62:78],
		"a truncated LLDP":       truncated(lldp),
		"an LLDP of nobody":      {lldp},
		"LLDP without its start": {edit(lldp, 14, "0000"), edit(lldp, 14, "ffff"), edit(lldp, 14, "0202")},
		"a tag and no more":      truncated(vlan),
		"a stack of tags":        {[]byte(strings.Repeat("\x02\x00\x00\x00\xbb\x01", 2) + strings.Repeat("\x81\x00", 3))},
		"ARP of another network": {edit(arp, 14, "0006"), edit(arp, 16, "86dd"), edit(arp, 18, "0804"), edit(arp, 18, "0610")},
		"IPv4 of version 6":      {edit(ip, 14, "65")},
		"IPv4 with a short head": {edit(ip, 14, "44"), edit(ip, 14, "40")},
		"IPv4 with a long head":  {edit(ip, 14, "4f")[:40]},
		"IPv4 shorter than head": {edit(ip, 16, "0013"), edit(ip, 16, "0000")},
		"a broadcast source":     {edit(arp, 6, "ffffffffffff"), edit(ip, 6, "ffffffffffff")},
		"a multicast source":     {edit(arp, 6, "01005e000001"), edit(arp, 6, "33330000000f")},
		"a source of zeros":      {edit(arp, 6, "000000000000")},
		"nothing":                {{}},
	}
}

// view is all that the lists show of the network, without times.
func (i *instance) view() any {
	hosts := i.hosts()
	for k := range hosts {
		hosts[k].Seen = time.Time{}
	}
	return []any{i.switches(), i.links(), hosts, i.flows("")}
}

// Malformed data frames in packet-ins change nothing in the view, send nothing to any switch, and
// are no fault of the session's.
func TestMalformedFramesDoNothing(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		w := i.switchOn(1, v, 3)
		other := i.switchOn(2, v, 2).serve()
		w.serve()
		i.await("edges", func() bool { return i.edges() == 5 })
		w.send(packetIn(1, announcement(good, 1)))
		i.await("the host", func() bool { return len(i.hosts()) == 1 })
		i.await("all rules", func() bool { return i.settled(2) })
		before, mark := i.view(), i.journal.mark()
		for what, frames := range badFrames() {
			for _, port := range []uint32{1, 2, 99, openflow.PortController, openflow.PortLocal, 0} {
				for _, frame := range frames {
					w.send(packetIn(port, frame), packetIn(port, edit(frame, 0, hex.EncodeToString(good[:]))))
				}
			}
			i.through(w)
			if after := i.view(); !reflect.DeepEqual(before, after) {
				t.Fatalf("%s: the view was\n%+v\nand is\n%+v", what, before, after)
			}
		}
		other.ping()
		if got := i.journal.since(mark, func(e entry) bool { return isFlowMod(e) || isDeletion(e) }); len(got) > 0 {
			t.Errorf("%d messages were sent for malformed frames: %v", len(got), texts(got))
		}
		if n := i.metric("weir_openflow_decode_errors_total"); n != 0 {
			t.Errorf("%v messages were refused: frames are not messages", n)
		}
	})
}

// through waits until everything that a serving wire has sent has reached the view: it plugs a port
// in and out after it. Discovery handles what comes from one switch in order.
func (i *instance) through(w *wire) {
	i.t.Helper()
	w.ping()
	extra := openflow.Port{Number: 500, Name: "through", HWAddr: w.mac(200), Config: 1} // administratively down
	for _, reason := range []openflow.PortReason{openflow.PortAdded, openflow.PortDeleted} {
		w.send(&openflow.PortStatus{Reason: reason, Port: extra})
		i.await("a port status", func() bool {
			sw, err := i.api.Switch(i.t.Context(), dpid(w.dpid))
			return err == nil && (len(sw.Ports) == w.ports+1) == (reason == openflow.PortAdded)
		})
	}
}

// edges is how many ports are edges.
func (i *instance) edges() int {
	n := 0
	for _, sw := range i.switches() {
		for _, p := range sw.Ports {
			if p.Role == "edge" {
				n++
			}
		}
	}
	return n
}

// probesOf are the discovery frames that left a port, in order.
func (i *instance) probesOf(dpid uint64, port uint32) [][]byte {
	var frames [][]byte
	for _, e := range i.journal.since(0, isProbe) {
		if e.dpid == dpid && slices.Contains(outputs(e.m), port) {
			frames = append(frames, e.m.(*openflow.PacketOut).Data)
		}
	}
	return frames
}

// Only a discovery frame of ours, as it was sent, heard for the first time and in time, makes a
// link.
func TestForgedAndReplayedDiscoveryFramesMakeNoLink(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		var w []*wire
		for n := range uint64(4) {
			w = append(w, i.switchOn(n+1, v, 2).serve())
		}
		kind := func(k string) float64 { return i.metric("weir_discovery_total", "kind", k) }
		links := func(want ...string) {
			t.Helper()
			i.through(w[1])
			i.through(w[2])
			if got := linkTexts(i.links()); !slices.Equal(got, want) {
				t.Fatalf("links are %v, want %v", got, want)
			}
		}
		i.await("a probe", func() bool { return len(i.probesOf(1, 1)) > 0 })
		frame := i.probesOf(1, 1)[0]
		for at := 14; at < len(frame)-2; at++ { // the end TLV says nothing
			forged := slices.Clone(frame)
			forged[at] ^= 1 << (at % 8)
			w[1].send(packetIn(1, forged))
		}
		links()
		if n := kind("lldp_forged") + kind("lldp_malformed") + kind("lldp_foreign"); n != float64(len(frame)-16) ||
			kind("lldp_forged") < 20 {
			t.Errorf("%v frames counted as malformed, foreign or forged, want %d", n, len(frame)-16)
		}
		i.await("probes enough", func() bool { return len(i.probesOf(1, 1)) > 8 })
		w[1].send(packetIn(1, frame)) // genuine, and too late
		links()
		if kind("lldp_stale") != 1 {
			t.Errorf("%v frames counted as stale, want 1", kind("lldp_stale"))
		}
		i.awaitReplay(w, kind)
	})
}

// awaitReplay has the latest frame heard at one port, which makes the link, and then at another
// switch's, which does not.
func (i *instance) awaitReplay(w []*wire, kind func(string) float64) {
	i.t.Helper()
	seen := i.probesOf(1, 1)
	w[1].send(packetIn(1, seen[len(seen)-1]))
	i.await("the link", func() bool { return slices.Contains(linkTexts(i.links()), "1.1>2.1") })
	w[2].send(packetIn(1, seen[len(seen)-1]))
	i.through(w[2])
	if got := linkTexts(i.links()); !slices.Equal(got, []string{"1.1>2.1"}) {
		i.t.Errorf("links are %v, want only the one of the frame heard first", got)
	}
	if kind("lldp_replayed") != 1 {
		i.t.Errorf("%v frames counted as replayed, want 1", kind("lldp_replayed"))
	}
}

// A header without a payload is read as far as it goes: frames of 14 bytes with every EtherType.
func TestEveryEtherTypeWithoutPayload(t *testing.T) {
	i := start(t)
	w := i.switchOn(1, openflow.V13, 2).serve()
	i.await("edges", func() bool { return i.edges() == 2 })
	frame := packet.AppendEthernet(nil, packet.Broadcast, stranger, 0, 0, 0)
	for n := range 1 << 16 {
		binary.BigEndian.PutUint16(frame[12:], uint16(n))
		w.write(w.append(nil, 1, packetIn(1, frame)))
	}
	i.through(w)
	if h := i.hosts(); len(h) != 1 || len(h[0].IPs) != 0 {
		t.Errorf("hosts are %+v, want the sender without an address", h)
	}
}
