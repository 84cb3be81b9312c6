package warmstart

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// mesh fills a view with switches of six ports, a host at each, rules, and links from each to four
// others.
func mesh(view *netview.View, facts *netview.Facts, switches int) {
	facts.Update(func(tx *netview.FactsTx) {
		for i := range switches {
			row := *some(0).Switches[0]
			row.DPID, row.Connected, row.State = netview.DPID(i+1), true, netview.SwitchReady
			row.Ports = nil
			for p := range uint32(6) {
				row.Ports = append(row.Ports,
					netview.Port{Number: p + 1, Name: fmt.Sprint("eth", p+1), Up: true, Role: netview.PortLink, SpeedMbps: 10000})
			}
			tx.PutSwitch(&row)
			mac := packet.MAC{2, 0, 0, 0, byte(i >> 8), byte(i)}
			tx.PutHost(&netview.Host{
				HostID: netview.HostID{MAC: mac}, At: netview.Point{DPID: row.DPID, Port: 6}, Seen: time.Unix(1_790_000_000, 0),
				IPs: []netip.Addr{netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})},
			})
		}
		for i := range switches {
			for far := range 2 {
				a := netview.Point{DPID: netview.DPID(i + 1), Port: uint32(1 + far)}
				b := netview.Point{DPID: netview.DPID((i+1+far)%switches + 1), Port: uint32(3 + far)}
				tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: a, Dst: b}, Up: true, State: netview.LinkConfirmed})
				tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: b, Dst: a}, Up: true, State: netview.LinkConfirmed})
			}
		}
	})
	view.Desired("tree").Update(func(tx *netview.DesiredTx) {
		for i := range switches {
			var rules []netview.Rule
			for n := range uint32(30) {
				r := netview.Rule{Table: 1, Priority: uint16(1000 + n)}
				r.Match.SetUint(openflow.FieldInPort, uint64(1+n%6))
				r.Match.SetUint(openflow.FieldEthType, uint64(packet.TypeARP))
				rules = append(rules, r)
			}
			tx.Set(netview.DPID(i+1), rules)
		}
	})
}

// treeOf reads a tree out of rules.
func treeOf(s *netview.Snapshot, dpid netview.DPID) (links, off []uint32, ok bool) {
	for r := range s.Rules(dpid) {
		n, named := r.Match.Uint(openflow.FieldInPort)
		if port := uint32(n); named && !slices.Contains(links, port) {
			links = append(links, port)
		}
		ok = true
	}
	return links, off, ok
}

// BenchmarkTurn takes a link down and up, in a network as large as wan:206 and one ten times that.
func BenchmarkTurn(b *testing.B) {
	for _, switches := range []int{206, 2060} {
		b.Run(fmt.Sprint(switches), func(b *testing.B) {
			view := netview.New(netview.Limits{})
			facts := view.Facts()
			mesh(view, facts, switches)
			written := 0
			r := NewTo(func([]byte) error { written++; return nil }, time.Now, view, treeOf, nil)
			r.Turn()
			key := netview.LinkKey{Src: netview.Point{DPID: 1, Port: 1}, Dst: netview.Point{DPID: 2, Port: 3}}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				facts.Update(func(tx *netview.FactsTx) {
					for _, k := range []netview.LinkKey{key, key.Reverse()} {
						tx.PutLink(&netview.Link{LinkKey: k, Up: i%2 == 1, State: netview.LinkConfirmed})
					}
				})
				b.StartTimer()
				r.Turn()
			}
			if written != b.N+1 {
				b.Errorf("%d times written, want %d", written, b.N+1)
			}
		})
	}
}
