package stats

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// model is a switch that counts: each port's counters go on at rates of their own.
type model struct {
	dpid    netview.DPID
	version openflow.Version
	session uint64 // 0: not connected
	since   time.Time
	bits    int // of its counters: 32 or 64
	delay   time.Duration
	stuck   bool // never answers
	busy    bool // takes nothing
	refuses map[Kind]bool
	ports   map[uint32]*modelPort
	entries []openflow.FlowStats
	asked   [kinds]int
}

type modelPort struct {
	made    time.Time // when the switch began to count
	since   time.Time // of initial
	initial [Counters]uint64
	rates   [Counters]uint64 // a second
	lacks   [Counters]bool
}

// count is a counter's true value, which has no width.
func (p *modelPort) count(c Counter, now time.Time) uint64 {
	return p.initial[c] + uint64(float64(p.rates[c])*now.Sub(p.since).Seconds())
}

// settle makes the counters of now the initial ones, so that rates can change.
func (p *modelPort) settle(now time.Time) {
	for c := range Counters {
		p.initial[c] = p.count(c, now)
	}
	p.since = now
}

// plug makes a port, which counts from zero.
func (m *model) plug(n uint32, now time.Time) *modelPort {
	p := &modelPort{made: now, since: now}
	m.ports[n] = p
	return p
}

func (m *model) narrow(n uint64) uint64 {
	if m.bits == 32 {
		return n & (1<<32 - 1)
	}
	return n
}

// answer is what the switch says to a question.
func (m *model) answer(body openflow.RequestBody, now time.Time) openflow.ReplyBody {
	switch r := body.(type) {
	case *openflow.PortStatsRequest:
		l := &openflow.PortStatsList{}
		for _, n := range slices.Backward(m.portNumbers()) { // in no useful order
			p := m.ports[n]
			var v [Counters]uint64
			for c := range Counters {
				if v[c] = m.narrow(p.count(c, now)); p.lacks[c] {
					v[c] = NotCounted
				}
			}
			var age time.Duration
			if m.version == openflow.V13 {
				age = now.Sub(p.made)
			}
			l.Ports = append(l.Ports, openflow.PortStats{Port: n, DurationSec: uint32(age / time.Second),
				DurationNsec: uint32(age % time.Second), RxPackets: v[RxPackets], TxPackets: v[TxPackets],
				RxBytes: v[RxBytes], TxBytes: v[TxBytes], RxDropped: v[RxDropped], TxDropped: v[TxDropped],
				RxErrors: v[RxErrors], TxErrors: v[TxErrors]})
		}
		return l
	case *openflow.GroupRequest:
		return &openflow.GroupStatsList{Groups: []openflow.GroupStats{{Group: 1, Packets: 5}}}
	case *openflow.MeterRequest:
		return &openflow.MeterStatsList{Meters: []openflow.MeterStats{{Meter: 1, PacketsIn: 6}}}
	case *openflow.TableRequest:
		n := uint64(now.Sub(m.since).Seconds() * 10)
		return &openflow.TableStatsList{Tables: []openflow.TableStats{
			{Table: 0, Active: uint32(len(m.entries)), Lookups: n, Matched: n / 2}, {Table: 1}, {Table: 2, Lookups: 1},
		}}
	case *openflow.AggregateRequest:
		s := &openflow.AggregateStats{}
		for _, e := range m.entries {
			s.Flows, s.Packets, s.Bytes = s.Flows+1, s.Packets+e.Packets, s.Bytes+e.Bytes
		}
		return s
	case *openflow.FlowRequest:
		l := &openflow.FlowStatsList{}
		for _, e := range m.entries {
			if e.Cookie&r.CookieMask == r.Cookie {
				l.Flows = append(l.Flows, e)
			}
		}
		return l
	}
	panic("asked for something else")
}

func (m *model) portNumbers() []uint32 {
	var list []uint32
	for n := range m.ports {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

// world is a core, models, and time.
type world struct {
	t        testing.TB
	core     *Core
	board    Board
	now      time.Time
	start    time.Time
	wake     time.Time
	models   map[netview.DPID]*model
	due      []reply // answers under way, the next in front
	inbox    []Input
	told     []*TenantCounters
	toldLoop <-chan *TenantCounters // by a loop
	session  uint64
	loud     bool
	lines    []string
}

type reply struct {
	at time.Time
	in Answer
}

func newWorld(t testing.TB, cfg Config) *world {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	return &world{t: t, core: NewCore(cfg), now: start, start: start, models: make(map[netview.DPID]*model)}
}

// add makes a switch with ports, which is not connected.
func (w *world) add(dpid netview.DPID, v openflow.Version, ports int) *model {
	m := &model{dpid: dpid, version: v, since: w.now, bits: 64, ports: make(map[uint32]*modelPort), refuses: make(map[Kind]bool)}
	for n := range ports {
		m.plug(uint32(n)+1, w.now)
	}
	w.models[dpid] = m
	return m
}

func (w *world) up(m *model) {
	w.session++
	m.session = w.session
	w.inbox = append(w.inbox, Up{Address{m.dpid, m.session}, m.version})
	w.step()
}

func (w *world) down(m *model) {
	w.inbox = append(w.inbox, Down{Address{m.dpid, m.session}})
	m.session = 0
	w.step()
}

// restart: the switch counts from zero.
func (w *world) restart(m *model) {
	for _, p := range m.ports {
		p.initial, p.since, p.made = [Counters]uint64{}, w.now, w.now
	}
	m.since = w.now
}

// run lets time pass.
func (w *world) run(d time.Duration) {
	end := w.now.Add(d)
	for !w.wake.IsZero() && !w.wake.After(end) {
		w.now = w.wake
		w.step()
	}
	w.now = end
}

// step steps the core once, with the answers that have come, and has the switches asked.
func (w *world) step() {
	for len(w.due) > 0 && !w.due[0].at.After(w.now) {
		w.inbox = append(w.inbox, w.due[0].in)
		w.due = w.due[1:]
	}
	ready := w.core.Step(w.inbox, w.now)
	w.inbox = nil
	for _, s := range ready.News {
		w.board.put(s)
		w.say("%s: news", s.DPID)
	}
	for _, dpid := range ready.Gone {
		w.board.remove(dpid)
	}
	w.told = append(w.told, ready.Tenants...)
	for _, q := range ready.Questions {
		w.ask(q)
	}
	w.wake = ready.Wake
}

func (w *world) ask(q Question) {
	m := w.models[q.DPID]
	if m.session != q.Epoch {
		w.t.Errorf("asked session %d of %s, which has %d", q.Epoch, q.DPID, m.session)
		return
	}
	in := Answer{Address: q.Address, At: w.now.Add(m.delay)}
	if m.busy {
		w.say("%s: busy, not asked for %s", q.DPID, q.Kind)
		in.At, in.Err = w.now, ErrBusy
		w.inbox = append(w.inbox, in)
		return
	}
	m.asked[q.Kind]++
	body := q.body(w.core.cfg.Domain)
	w.say("%s <- %s", q.DPID, textOf(m.version, body))
	switch {
	case m.refuses[q.Kind]:
		in.Err = ErrRefused
	case m.stuck:
		in.At, in.Err = w.now.Add(30*time.Second), fmt.Errorf("no answer in time") // as the session says
	case q.Kind == KindTenants:
		in.Tenants = w.tenantsOf(m, body)
	default:
		in.Body = m.answer(body, in.At)
	}
	i, _ := slices.BinarySearchFunc(w.due, in.At, func(r reply, at time.Time) int {
		if r.at.After(at) {
			return 1
		}
		return -1
	})
	w.due = slices.Insert(w.due, i, reply{in.At, in})
}

func textOf(v openflow.Version, body openflow.RequestBody) string {
	m := &openflow.MultipartRequest{Body: body}
	text := openflow.Text(openflow.Header{Version: v, Type: m.Type()}, m)
	_, text, _ = strings.Cut(text, "xid=0x0 ")
	return text
}

func (w *world) say(format string, args ...any) {
	if w.loud {
		w.lines = append(w.lines, fmt.Sprintf("%6.1f ", w.now.Sub(w.start).Seconds())+fmt.Sprintf(format, args...))
	}
}
