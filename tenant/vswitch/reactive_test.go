package vswitch

import (
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// handle has a tenant's tables handle a frame that the physical switch shows.
func (w *world) handle(g *guest, p *flowtable.PacketIn) {
	before := Reactive{g.sw}.Handled()
	Reactive{g.sw}.Receive(p.InPort, slices.Clone(p.Frame), w.now, g)
	w.byWeir += Reactive{g.sw}.Handled() - before
	if w.tally != nil {
		for _, handle := range g.sw.micro.decision.Entries {
			w.tally.hits[lifeOf(g, g.sw.byHandle[handle])]++
		}
	}
}

// done is what has become of a frame: what the physical switch has done, and what the tables of a tenant have.
func (w *world) done(g *guest) (frames, copies []string) {
	frames, copies = w.out.take()
	if g != nil && w.reactive {
		f, c := g.sink.take()
		frames, copies = append(frames, f...), append(copies, c...)
		slices.Sort(frames)
		slices.Sort(copies)
	}
	return frames, copies
}

// richer has a random flow-mod be one of several tables, which looks at more.
func (w *world) richer(m *openflow.FlowMod) {
	r := w.r
	if r.IntN(3) > 0 {
		m.Table = uint8(r.IntN(3))
	}
	if m.Priority = uint16(r.IntN(4)); r.IntN(4) > 0 {
		m.IdleTimeout, m.HardTimeout = 0, 0
	}
	if r.IntN(4) == 0 {
		m.Match.SetUintMasked(openflow.FieldEthSrc, r.Uint64N(4), 1+r.Uint64N(3))
	}
	if r.IntN(4) == 0 {
		m.Match.SetUint(openflow.FieldVLANVID, []uint64{0, 0x1000, 0x1001}[r.IntN(3)])
	}
	if r.IntN(4) == 0 {
		m.Match.SetUint(openflow.FieldEthType, uint64(packet.TypeIPv4))
		m.Match.SetUintMasked(openflow.FieldIPv4Dst, 0x0a000002+r.Uint64N(2), 0xffffffff-r.Uint64N(2))
	}
	if m.Table > 0 && r.IntN(2) == 0 {
		m.Match.SetUintMasked(openflow.FieldMetadata, r.Uint64N(2), 1)
	}
	m.Match = m.Match.Canonical()
}

// TestReactive has random controllers fill several tables of tenants over a switch with one. What the physical switch and the
// tables do together, and then the physical switch alone, is what the tables do.
func TestReactive(t *testing.T) {
	t.Run("one table", func(t *testing.T) { reactiveTwin(t, 500, openflow.V13) })
	t.Run("OpenFlow 1.0", func(t *testing.T) { reactiveTwin(t, 400, openflow.V10) })
}

func reactiveTwin(t *testing.T, seeds uint64, version openflow.Version) {
	was, back, flows, removed, byWeir, alone, counted, ends := 0, 0, 0, 0, uint64(0), 0, 0, 0
	for seed := range seeds {
		w := worldOf(t, seed, true, version, true)
		xid := uint32(0)
		for range 120 {
			w.now += 100 * time.Millisecond
			g := w.guests[w.r.IntN(len(w.guests))]
			turned := g.sw.micro.reactive
			switch w.r.IntN(17) {
			case 14:
				g.sw.SetMiss(w.r.IntN(2) == 0, w.now, g)
			case 15:
				_ = g.sw.FlowMod(openflow.V10, w.flowMod10(g), Origin{1, xid}, w.now, g)
			case 8:
				_ = w.objectMod(g)
			case 0:
				xid++
				g.asked = append(g.asked, xid)
				g.before[xid] = len(g.ordered)
				g.sw.Barrier(Origin{1, xid}, g)
			case 1, 2, 3:
				w.execute(true)
			case 5, 6, 7:
				w.tell()
			case 4:
				p := openflow.Port{Number: g.ports[w.r.IntN(len(g.ports))]}
				if w.r.IntN(2) == 0 {
					g.sw.RemovePort(p.Number, w.now, g)
				} else {
					g.sw.SetPort(p, w.now, g)
				}
			case 9:
				Tally{g.sw}.Late(w.now, g)
			case 10:
				if w.r.IntN(6) == 0 {
					_ = g.sw.FlowMod(openflow.V13, &openflow.FlowMod{Command: openflow.FlowDelete, Table: openflow.TableAll,
						Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}, Origin{1, xid}, w.now,
						g)
				}
			default:
				_ = g.sw.FlowMod(openflow.V13, w.flowMod(g), Origin{1, xid}, w.now, g)
			}
			if turned && !g.sw.micro.reactive {
				back++
			} else if !turned && g.sw.micro.reactive {
				was++
			}
			w.staysInside()
			if err := g.sw.Check(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		for round := range 6 {
			w.drain()
			for _, g := range w.guests {
				g.sw.SetMiss(g.sw.misses.shown, w.now, g)
				g.sw.micro.rest = 0
			}
			w.drain()
			before := w.byWeir
			n := w.agree()
			if round == 5 {
				alone += n - int(w.byWeir-before)
			}
			for _, g := range w.guests {
				flows += len(g.sw.micro.flows)
			}
			for range 3 { // what is then
				g := w.guests[w.r.IntN(len(w.guests))]
				switch w.r.IntN(9) {
				case 0:
					_ = w.objectMod(g)
				case 1:
					g.sw.SetMiss(w.r.IntN(2) == 0, w.now, g)
				case 2:
					g.sw.RemovePort(g.ports[w.r.IntN(len(g.ports))], w.now, g)
				case 3, 4: // of an entry that is there
					m := w.flowMod(g)
					for _, r := range rowsWhere(g.sw.byHandle, func(r *row) bool { return w.r.IntN(2) == 0 && !r.told.v10 }) {
						m.Table, m.Priority, m.Match = r.told.table, r.told.priority, r.told.match
					}
					m.Command = []openflow.FlowModCommand{openflow.FlowAdd, openflow.FlowModifyStrict}[w.r.IntN(2)]
					if m.Flags = 0; w.r.IntN(2) == 0 {
						m.Flags = openflow.FlagResetCounts
					}
					_ = g.sw.FlowMod(openflow.V13, m, Origin{1, xid}, w.now, g)
				default:
					_ = g.sw.FlowMod(openflow.V13, w.flowMod(g), Origin{1, xid}, w.now, g)
				}
				if err := g.sw.Check(); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		}
		for _, g := range w.guests {
			if !slices.Equal(g.confirmed, g.asked) {
				t.Fatalf("seed %d: barriers %v were answered as %v", seed, g.asked, g.confirmed)
			}
			ends += g.removed
			for _, x := range g.ordered {
				if x.o.Remove {
					removed++
				}
			}
		}
		w.drain()
		counted += w.tally.check(w)
		byWeir += w.byWeir
		if w.respace() {
			w.agree()
		}
	}
	t.Logf("turned reactive %d times and back %d times; %d micro-flows, %d rules removed, %d frames handled by the tables, %d sent by the "+
		"physical switch alone, %d packets counted, %d flow-removed told", was, back, flows, removed, byWeir, alone, counted, ends)
	if was < 300 || back < 20 || flows < 2000 || alone < 500 || counted < 100 || ends < 100 {
		t.Error("the test shows nothing")
	}
}
