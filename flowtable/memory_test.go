package flowtable

import (
	"fmt"
	"runtime"
	"testing"
	"weak"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// kept are the entries that a switch ever had, of which those are counted that are still in memory.
type kept struct {
	*bed
	all []weak.Pointer[entry]
}

// note takes in the entries that are in the tables now.
func (k *kept) note() {
	for _, t := range k.tables {
		if t == nil {
			continue
		}
		for _, u := range t.tuples {
			for e := range u.each {
				k.all = append(k.all, weak.Make(e))
			}
		}
	}
}

func (k *kept) count() int {
	runtime.GC()
	held := map[*entry]bool{}
	for _, p := range k.all {
		if e := p.Value(); e != nil {
			held[e] = true
		}
	}
	runtime.KeepAlive(k.bed)
	return len(held)
}

// everything is a request for the statistics of all entries.
var everything = openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}

// TestWrittenAnew: an entry that is written over and over is one entry in memory, whoever looked at
// it in the beginning: a packet, by the cache; a modification; a request for statistics that is
// answered in part.
func TestWrittenAnew(t *testing.T) {
	const match, others, rounds = "in_port=1,eth_type=0x0800,eth_src=02:00:00:00:00:0a,ip_proto=17", 3, 1000
	var half *Survey
	for name, look := range map[string]func(b *bed){
		"packet": func(b *bed) { b.Receive(1, udp(0), 0, &b.out) },
		"modification": func(b *bed) {
			m := flow(t, 9, match, "apply:[output:3]")
			m.Command = openflow.FlowModifyStrict
			b.must(m)
		},
		"survey": func(b *bed) {
			x, err := b.Survey(openflow.V13, &openflow.FlowRequest{FlowFilter: everything}, 0)
			if err != nil {
				t.Fatal(err)
			}
			half = x
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := &kept{bed: newBed(t, Config{})}
			for i := range others { // masks enough for a cache
				k.must(flow(t, 1, []string{"in_port=2", "eth_type=0x0806", "vlan_vid=5"}[i], ""))
			}
			for i := range rounds {
				k.must(flow(t, 9, match, fmt.Sprintf("apply:[output:%d]", 2+i%2)))
				if i == 0 {
					look(k.bed)
				}
				k.note()
			}
			if n := k.count(); n != 1+others {
				t.Errorf("%d entries are kept, want %d: one that was written %d times and %d others", n, 1+others, rounds, others)
			}
			runtime.KeepAlive(half)
		})
	}
}

// TestRemovedEntriesAreLetGo: neither the cache nor what a request selected keeps entries that are
// gone.
func TestRemovedEntriesAreLetGo(t *testing.T) {
	const others, flows = 3, 2 * cacheMost
	k := &kept{bed: newBed(t, Config{})}
	for i := range others {
		k.must(flow(t, 1, []string{"in_port=2", "eth_type=0x0806", "vlan_vid=5"}[i], ""))
	}
	m := flow(t, 9, "eth_type=0x0800,ipv4_src=10.0.0.1", "")
	frame := func(i int) []byte {
		from := packet.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)})
		m.Match.SetUint(openflow.FieldIPv4Src, 10<<24|1<<16|uint64(i))
		return packet.AppendUDP(nil, &packet.Key{EtherType: packet.TypeIPv4, TTL: 64, IPSrc: from, IPDst: from}, nil)
	}
	for i := range flows {
		frame(i)
		k.must(m)
	}
	for range 8 { // until the cache is as large as it gets
		for i := range flows {
			k.Receive(1, frame(i), 0, &k.out)
		}
	}
	if n := len(k.tables[0].cache.slots); n != cacheMost {
		t.Fatalf("the cache has %d slots, want %d", n, cacheMost)
	}
	k.note()
	if _, err := k.Multipart(openflow.V13, &openflow.AggregateRequest{FlowFilter: everything}, 0); err != nil {
		t.Fatal(err)
	}
	for i := range flows {
		frame(i)
		m.Command = openflow.FlowDeleteStrict
		k.must(m)
	}
	if n := k.count(); n != others || k.Entries() != others {
		t.Errorf("%d entries are kept of %d, want %d", n, k.Entries(), others)
	}
}
