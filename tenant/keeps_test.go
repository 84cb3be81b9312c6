package tenant

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// small is a packet of a world in which MAC addresses have two bits and a VLAN tag has one, or is not there.
type small struct{ dst, src, vlan uint64 }

func everySmall() (all []small) {
	for dst := range uint64(4) {
		for src := range uint64(4) {
			for vlan := range uint64(3) {
				all = append(all, small{dst, src, vlan})
			}
		}
	}
	return all
}

// vid is the vlan_vid of a packet: none, 0 or 1.
func (p small) vid() uint64 {
	if p.vlan == 0 {
		return 0
	}
	return uint64(openflow.VLANPresent) | (p.vlan - 1)
}

func (p small) match() (m openflow.Match) {
	m.SetUint(openflow.FieldEthDst, p.dst)
	m.SetUint(openflow.FieldEthSrc, p.src)
	m.SetUint(openflow.FieldVLANVID, p.vid())
	return m
}

// apply executes actions; pushes copy the tag's id.
func (p small) apply(list []openflow.Action) (after []small) {
	for _, a := range list {
		switch a.Type {
		case openflow.ActionSetField:
			m := openflow.Match{OXM: a.Data}
			if v, ok := m.Uint(openflow.FieldEthDst); ok {
				p.dst = v
			} else if v, ok := m.Uint(openflow.FieldEthSrc); ok {
				p.src = v
			} else if v, ok := m.Uint(openflow.FieldVLANVID); ok {
				if p.vlan != 0 { // else there is nothing to set
					p.vlan = v&1 + 1
				}
			}
		case openflow.ActionPopVLAN:
			p.vlan = 0
		case openflow.ActionPushVLAN:
			p.vlan = max(p.vlan, 1)
		case openflow.ActionOutput:
			after = append(after, p)
		}
	}
	return append(after, p)
}

func randomMatch(r *rand.Rand) (m openflow.Match) {
	for _, f := range []openflow.Field{openflow.FieldEthDst, openflow.FieldEthSrc} {
		if mask := r.Uint64N(4); mask != 0 {
			m.SetUintMasked(f, r.Uint64N(4)&mask, mask|^uint64(3)&(1<<48-1))
		}
	}
	if r.IntN(3) == 0 {
		m.SetUint(openflow.FieldVLANVID, small{vlan: r.Uint64N(3)}.vid())
	}
	return m
}

func randomActions(r *rand.Rand) (list []openflow.Action) {
	for range r.IntN(4) {
		switch r.IntN(6) {
		case 0, 1:
			list = append(list, openflow.SetField(openflow.FieldEthDst, r.Uint64N(4)))
		case 2:
			list = append(list, openflow.SetField(openflow.FieldEthSrc, r.Uint64N(4)))
		case 3:
			list = append(list, openflow.Action{Type: openflow.ActionPushVLAN, EtherType: 0x8100},
				openflow.SetField(openflow.FieldVLANVID, uint64(openflow.VLANPresent)|r.Uint64N(2)))
		case 4:
			list = append(list, openflow.Action{Type: openflow.ActionPopVLAN})
		case 5:
			list = append(list, openflow.Output(2))
		}
	}
	return list
}

// TestKeepsEnumerated takes random tenants and random entries, and looks at every packet of a small world: what Keeps
// allows leads no packet of the tenant out of its space, in sequences of entries neither, and of what it refuses most
// would.
func TestKeepsEnumerated(t *testing.T) {
	world := everySmall()
	allowed, refused, needless := 0, 0, 0
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 15))
		tenants := New()
		for n := range uint16(3) {
			d := Definition{Name: fmt.Sprintf("t%d", n), Number: n + 1, Ports: []netview.Point{{DPID: 1, Port: 1}}}
			for range 1 + r.IntN(3) {
				if m := randomMatch(r); len(m.OXM) > 0 {
					d.Space = append(d.Space, Region{uint16(1 + r.IntN(6)), m})
				}
			}
			if len(d.Space) > 0 {
				_ = tenants.Put(d) // refused if it contradicts those before
			}
		}
		if tenants.Get("t0") == nil {
			continue
		}
		space := tenants.Space("t0")
		whose := make(map[small]string, len(world))
		for _, p := range world {
			whose[p] = tenants.Whose(p.match())
		}
		for range 10 {
			match, list := randomMatch(r), randomActions(r)
			when := Applied(r.IntN(3) > 0)
			leaves := false
			for _, p := range world {
				if whose[p] != "t0" || when == AtOnce && !match.Overlaps(p.match()) {
					continue
				}
				for _, q := range p.apply(list) {
					leaves = leaves || whose[q] != "t0"
				}
			}
			switch err := space.Keeps(match, list, when); {
			case err == nil && leaves:
				t.Fatalf("seed %d: %s %v is allowed, and leads out of the space of %+v", seed, match, list, tenants.All())
			case err == nil:
				allowed++
			case leaves:
				refused++
			default:
				needless++
			}
		}
	}
	t.Logf("%d allowed, %d refused, %d of these needlessly", allowed, refused+needless, needless)
	if allowed < 1000 || refused < 1000 || needless > refused/4 {
		t.Errorf("%d allowed, %d refused, %d needlessly: the test shows nothing", allowed, refused, needless)
	}
}
