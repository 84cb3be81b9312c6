package flowsync

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/flowsync/objects"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// FuzzCore has a switch answer anything at any time: listings of arbitrary bytes, errors against
// any transaction, barriers of any batch, entries lost. The core must keep its invariants and never
// ask to be woken in the past.
func FuzzCore(f *testing.F) {
	f.Add([]byte{0, 0, 8, 1, 0, 0, 0, 3, 4, 5, 6, 7, 8, 9})
	f.Add([]byte{0, 0, 2, 1, 1, 8, 3, 3, 4, 1, 2, 7, 7, 2, 0, 0, 2, 1, 6, 9, 9, 5, 5})
	listing, err := (&openflow.FlowStatsList{}), error(nil)
	rule := parseRule(f, "table=1 priority=5002 eth_type=0x0806 apply=1")
	m := newModel(openflow.V13, 254)
	m.put(&rule)
	for _, e := range m.entries {
		listing.Flows = append(listing.Flows, *e)
	}
	bytes, err := (&openflow.MultipartReply{Body: listing}).Append(nil, openflow.V13)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append([]byte{0, 10, byte(len(bytes))}, bytes...))
	f.Add([]byte{0, 0, 2, 0, 15, 2, 0, 1, 16, 1, 3, 1, 0, 3, 0, 15, 1, 1, 0, 4, 1, 2, 3, 0, 17, 2, 1, 1, 18, 2, 16,
		1, 14, 12, 2, 8, 1, 0, 3, 1})
	f.Add([]byte{0, 0, 2, 0, 15, 0, 0, 0x60, 3, 0, 8, 2, 7, 2, 0, 0, 0x60, 15, 0, 0, 0x80, 3, 0, 8, 3, 12, 1, 8, 0, 0, 0x80, 1,
		1, 0, 8, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		z := &fuzzed{t: t, core: NewCore(Config{BatchMax: 3, ForeignMax: 2, SoftMax: 2}), data: data, now: time.Unix(0, 0)}
		for len(z.data) > 0 {
			z.step(z.input())
		}
	})
}

type fuzzed struct {
	t       *testing.T
	core    *Core
	data    []byte
	now     time.Time
	session uint64
	batch   uint64
	reading uint64
}

func (z *fuzzed) byte() byte {
	if len(z.data) == 0 {
		return 0
	}
	b := z.data[0]
	z.data = z.data[1:]
	return b
}

// step steps the core and does what it says: all is sent, or as much as a byte of the input says.
func (z *fuzzed) step(inputs ...Input) {
	for len(inputs) > 0 {
		ready := z.core.Step(inputs, z.now)
		z.core.mustHold(z.t)
		if !ready.Wake.IsZero() && !ready.Wake.After(z.now) {
			z.t.Fatal("wants to be woken in the past")
		}
		inputs = nil
		for _, r := range ready.Readings {
			z.reading = r.ID
		}
		for _, own := range ready.Infrastructure {
			for i := range own.Rules {
				r := own.Rules[i]
				r.DPID, r.Owner, r.State = own.DPID, Owner, netview.RulePending
				inputs = append(inputs, Rule{Rule: &r})
			}
		}
		for _, b := range ready.Batches {
			z.batch = b.ID
			in := Sent{Address: Address{b.DPID, b.Epoch}, Barrier: true}
			if in.Frames = b.Count > 0; in.Frames && z.byte()%8 == 7 { // it did not fit
				in.Frames, in.Barrier = false, false
			}
			in.Messages = len(b.Messages)
			inputs = append(inputs, in)
		}
	}
}

// input makes an input of the next bytes.
func (z *fuzzed) input() Input {
	const dpid = 1
	switch z.byte() % 20 {
	case 0:
		z.session++
		version := openflow.V13
		if z.byte()%2 == 1 {
			version = openflow.V10
		}
		return Up{Address{dpid, z.session}, version, 254}
	case 1:
		return Down{Address{dpid, z.session}, [...]string{"", "nothing is read"}[z.session%2]}
	case 2:
		return Entries{Address: Address{dpid, z.session}, ID: z.reading - uint64(z.byte()%2), Reading: z.listing()}
	case 3:
		return Confirmed{Address: Address{dpid, z.session}, Batch: z.batch - uint64(z.byte()%2)}
	case 4:
		code := openflow.ErrorCode(z.byte())<<16 | openflow.ErrorCode(z.byte())
		return Refused{Address{dpid, z.session}, z.batch, int(z.byte() % 4), openflow.ErrorMsg{Code: code}}
	case 5:
		b := z.byte()
		rule := parseRule(z.t, "eth_type=0x0806 meter=1 apply=1")
		rule.DPID, rule.Table, rule.Priority, rule.State = dpid, b%3, uint16(b>>4), netview.RulePending
		return Rule{&rule, b&8 != 0}
	case 6:
		return Meter{&netview.Meter{DPID: dpid, ID: 1, Rate: uint32(z.byte())}, z.byte()%2 == 0}
	case 7:
		b := z.byte()
		in := Removed{Address{dpid, z.session}, b % 3, uint16(b >> 4), "\x80\x00\x0a\x02\x08\x06", 1 << 52, nil}
		if b%3 == 2 { // of an order's rule, by a time-out
			r := z.orders(dpid).List[0].Rules.Rule(0, plan.DomainDefault, false)
			in = Removed{in.Address, r.Table, r.Priority, r.Match.Key(), r.Cookie, &ruleset.Counts{Packets: 1}}
		}
		return in
	case 8:
		z.now = z.now.Add(time.Duration(z.byte()) * time.Second)
		return Tick{}
	case 9:
		return SwitchFacts{&netview.Switch{DPID: dpid, State: netview.SwitchReady}, z.byte()%2 == 0}
	case 10:
		return Entries{Address: Address{dpid, z.session}, ID: z.reading, Err: errors.New("refused")}
	case 11:
		var err error
		if z.byte()%2 == 0 {
			err = errors.New("refused")
		}
		return MonitorAnswer{Address{dpid, z.session}, err}
	case 12:
		return Changed{Address{dpid, z.session}, z.changes()}
	case 13:
		return Paused{Address{dpid, z.session}, z.byte()%2 == 0}
	case 14:
		return Check{dpid}
	case 15, 16:
		return z.orders(dpid)
	case 17:
		return ListedPart{Address: Address{dpid, z.session}, ID: z.reading, Entries: z.packed()}
	case 18:
		return &RemovedPacked{Address: Address{dpid, z.session}, Entries: z.packed()}
	}
	return Objects{Address{dpid, z.session}, z.reading - uint64(z.byte()%2), z.objects(), z.byte()%8 == 0}
}

// objects are few meters, with numbers of ours and of others.
func (z *fuzzed) objects() *objects.Listing {
	var list []openflow.MeterConfig
	for range z.byte() % 4 {
		number := uint32(z.byte()%4/2)<<20 + uint32(z.byte()%4)
		list = append(list, openflow.MeterConfig{Meter: number, Flags: openflow.MeterFlagPktps,
			Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: uint32(z.byte() % 4)}}})
	}
	return objects.Read(plan.DomainDefault, nil, nil, list)
}

// orders are for few places.
func (z *fuzzed) orders(dpid netview.DPID) Orders {
	var list []ruleset.Order
	for range z.byte()%4 + 1 {
		b, out := z.byte(), z.byte()
		o := parseOrder(z.t, dpid, fmt.Sprintf("install intent=%d version=%d in=%d out=%d eth_type=0x0806", b>>1%2,
			b>>2%4, b>>4%3, 1+out%4)+[...]string{"", " meter=1", " meter=2", " meter=2"}[out>>3%4]+fuzzedTimes[out>>5])
		o.Remove = b&1 != 0
		list = append(list, o)
	}
	return Orders{list}
}

// fuzzedTimes are time-outs of few rules and entries, so that they meet.
var fuzzedTimes = [...]string{"", "", "", " hard=2", " idle=2", " idle=2 hard=9", " hard=600", " idle=600"}

// packed are entries in the places of orders, of owners of theirs and others.
func (z *fuzzed) packed() (p Packed) {
	for range z.byte() % 4 {
		b, out := z.byte(), z.byte()
		o := parseOrder(z.t, 1, fmt.Sprintf("install intent=%d in=%d out=%d eth_type=0x0806", b%3, b>>4%4, 1+out%4)+
			fuzzedTimes[out>>5])
		r := o.Rules.Rule(0, plan.DomainDefault, false)
		p.pack(&openflow.FlowStats{Table: r.Table, Priority: r.Priority, Cookie: r.Cookie, Match: r.Match,
			Instructions: r.Instructions, IdleTimeout: o.Rules.Idle, HardTimeout: o.Rules.Hard, DurationSec: uint32(b >> 6)}, nil)
	}
	return p
}

// changes are what a flow monitor may tell.
func (z *fuzzed) changes() (changes []Change) {
	for range z.byte() % 3 {
		b := z.byte()
		rule := parseRule(z.t, "eth_type=0x0806 apply=1")
		idle, hard := uint16(0), uint16(0)
		if b&8 != 0 {
			set := z.orders(1).List[0].Rules
			rule, idle, hard = set.Rule(0, plan.DomainDefault, false), set.Idle, set.Hard
			b = rule.Table
		}
		e := Entry{Table: b % 3, Priority: max(rule.Priority, uint16(b>>4)), Cookie: rule.Cookie, Match: rule.Match,
			Instructions: rule.Instructions, Idle: idle, Hard: hard}
		if z.byte()%4 == 0 {
			e.Cookie = uint64(z.byte())
		}
		changes = append(changes, Change{Event: openflow.FlowEvent(z.byte() % 3), Entry: e, Match: rule.Match.Key(),
			TimedOut: z.byte()%2 == 0})
	}
	return changes
}

// listing is a reading made of the next bytes, if a switch could send them.
func (z *fuzzed) listing() Reading {
	n := min(int(z.byte()), len(z.data))
	body := z.data[:n]
	z.data = z.data[n:]
	var reply openflow.MultipartReply
	if len(body) >= 8 {
		binary.BigEndian.PutUint16(body, uint16(openflow.MultipartFlow))
	}
	if err := reply.Parse(openflow.V13, body); err != nil {
		return Reading{}
	}
	list, _ := reply.Body.(*openflow.FlowStatsList)
	if list == nil {
		return Reading{}
	}
	return z.core.config.readAll(list.Flows, false)
}
