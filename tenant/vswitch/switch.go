package vswitch

import (
	"slices"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant"
)

// Config is what a virtual switch is made of.
type Config struct {
	Tenant     uint16 // the tenant's number
	DPID       netview.DPID
	Tables     uint8 // 1 to TablesMax
	MaxEntries int   // of each table; 0 for 1,000,000
	Space      *tenant.Space
	Frames     *Frames // of the tenants that have spaces; nil if all packets at its ports are the tenant's
	Rows       *Rows   // of all the tenant's switches
	// Single: the physical switch has one table for all, and the virtual one has one. Version is the one that the physical
	// switch speaks; 0 for 1.3.
	Single  bool
	Version openflow.Version
	// Reactive: what does not fit into the one table has packets be handled by the virtual tables, which may be several then,
	// and by micro-flows (Reactive).
	Reactive bool
	// Recorded: it is said what is to be in the journal (Save). ID is the tenant's, which no other ever has, and Epoch the
	// time at which now is 0.
	Recorded bool
	ID       string
	Epoch    time.Time
}

// TablesMax is how many tables a virtual switch may have.
const TablesMax = plan.TableTenantLast - plan.TableTenantFirst + 1

// Output gets what comes of calls. It does not call the Switch back.
type Output interface {
	flowtable.Output
	// Order asks for a rule in the physical switch, or for its removal.
	Order(ruleset.Order)
	// Refused tells who ordered an entry that the physical switch did not take it: it is gone from the tables.
	Refused(who Origin, why *flowtable.Error)
	// Confirmed answers a barrier.
	Confirmed(who Origin)
}

// Origin is who sent a message: a connection, by the caller's number, and the message's transaction id.
type Origin struct {
	Conn uint64
	XID  uint32
}

// Switch is a virtual switch.
type Switch struct {
	physical
	silent bool // a flow-removed that follows is not told: the entry was never there

	removed         *row              // of the entry that was removed last
	pendingRemovals []*pendingRemoval // in the order of their times
}

// New returns a switch without entries and ports.
func New(cfg Config) *Switch {
	if cfg.Reactive = cfg.Reactive && cfg.Single; cfg.Single && !cfg.Reactive {
		cfg.Tables = 1
	}
	s := &Switch{physical: newPhysical(cfg)}
	if s.unsaved.rows = cfg.Rows; cfg.Recorded {
		s.unsaved.begin()
	}
	return s
}

// Tables are the tables, for requests that change nothing.
func (s *Switch) Tables() *flowtable.Switch { return s.tables }

// Leaving is how many entries are on their way out of the physical switch.
func (s *Switch) Leaving() int {
	return len(s.rows) - s.tables.Entries() - len(s.leftover) - len(s.micro.flows)
}

// Waiting is how many orders of a switch have had no outcome.
func Waiting(s *Switch) int { return s.barriers.rows() }

// begin begins a call.
func (s *Switch) begin(who Origin, now time.Duration, out Output) {
	s.out, s.origin, s.now = out, who, now
}

// FlowMod changes entries as a controller of version v asks. The error is a *flowtable.Error; then nothing has changed.
func (s *Switch) FlowMod(v openflow.Version, m *openflow.FlowMod, who Origin, now time.Duration, out Output) error {
	s.begin(who, now, out)
	if err := s.check(v, m); err != nil {
		return err
	}
	err := s.tables.FlowMod(v, m, now, (*changes)(s))
	if err == nil && (m.Command == openflow.FlowDelete || m.Command == openflow.FlowDeleteStrict) {
		s.endLeftover()
	}
	microFlows{&s.physical}.turnBack()
	return err
}

// SetPort adds a port, or changes one.
func (s *Switch) SetPort(p openflow.Port, now time.Duration, out Output) {
	s.begin(Origin{}, now, out)
	_, had := s.ports[p.Number]
	s.ports[p.Number] = p.Config
	if had {
		s.tables.SetPortState(p.Number, p.State&openflow.PortStateDown == 0, now, (*changes)(s))
	} else {
		s.tables.AddPort(p, now, (*changes)(s))
		s.unsaved.headChanged()
	}
	microFlows{&s.physical}.removeAll()
	s.reorder(anyRow)
}

// RemovePort removes a port. Entries that write an output to it go, as a switch may have it; of those that apply one, the
// output does nothing.
func (s *Switch) RemovePort(number uint32, now time.Duration, out Output) {
	s.begin(Origin{}, now, out)
	s.endLeftover()
	delete(s.ports, number)
	s.unsaved.headChanged()
	s.tables.RemovePort(number, now, (*changes)(s))
	for _, r := range rowsWhere(s.byHandle, func(r *row) bool { return writesTo(r.told.instructions, number) }) {
		s.tables.End(r.handle, openflow.RemovedDelete, now, (*changes)(s))
	}
	microFlows{&s.physical}.removeAll()
	s.reorder(anyRow)
	microFlows{&s.physical}.turnBack()
}

// Outcome takes what became of an order. Outcomes of other switches' orders do nothing.
func (s *Switch) Outcome(o *ruleset.Outcome, now time.Duration, out Output) {
	s.begin(Origin{}, now, out)
	_, number := plan.TenantRow(o.Rules.Number)
	r := s.rows[number]
	if r == nil {
		return
	}
	p := r.ordered(o.Rules)
	switch {
	case p == nil: // of an incarnation before
		return
	case o.Result == ruleset.Removed:
		if p.state == partLeaving {
			if r.flow != nil {
				microFlows{&s.physical}.removed(p)
			} else {
				s.drop(p)
			}
			s.showMisses() // for which there may be room now
		}
	case p.state == partLeaving: // its removal is awaited
	case o.Result == ruleset.Installed:
		p.state, p.count.installed = partInstalled, s.now
		counting{&s.physical}.confirm(p)
	case o.Result == ruleset.Refused && r.flow != nil:
		microFlows{&s.physical}.refused(p)
	case o.Result == ruleset.Refused:
		s.drop(p)
		s.refuse(r, &flowtable.Error{Code: codeOf(o), Reason: o.Reason})
	case o.Result == ruleset.Ended:
		s.ended(p, o.Last)
	}
	s.settle(r)
	s.barriers.answer(out)
}

// refuse takes an entry out of the tables that the physical switch does not take.
func (s *Switch) refuse(r *row, why *flowtable.Error) {
	if !r.entry {
		r.short = r.miss
		return
	}
	if s.cfg.Reactive && !s.replaying {
		microFlows{&s.physical}.turnReactive()
		return
	}
	s.silent = true
	s.tables.End(r.handle, openflow.RemovedDelete, s.now, (*changes)(s))
	s.silent = false
	s.out.Refused(r.origin, why)
}

// ended takes the end of a part by a time-out.
func (s *Switch) ended(p *part, last *ruleset.Counts) {
	r := p.row
	switch {
	case r.leftover:
		s.drop(p)
		return
	case r.flow != nil:
		microFlows{&s.physical}.ended(p, last)
		return
	}
	if last != nil {
		counting{&s.physical}.read(p, *last)
	}
	why := r.endsBy(s.now)
	if why == openflow.RemovedIdle && !r.idled(p, last, s.now) {
		r.incarnation++
		s.install(p, false)
		return
	}
	s.drop(p)
	Tally{s}.publish(r)
	s.tables.SetUncounted(r.handle, last == nil && s.counters.open)
	s.tables.End(r.handle, why, s.now, (*changes)(s))
}

// codeOf is the error of an outcome; the switch's table is full for what it was not asked for.
func codeOf(o *ruleset.Outcome) openflow.ErrorCode {
	if o.Code != 0 {
		return o.Code
	}
	return openflow.FlowModFailedUnknown
}

// Barrier has a barrier answered when all that was ordered before has an outcome: at once, if it has.
func (s *Switch) Barrier(who Origin, out Output) {
	s.barriers.add(who)
	s.barriers.answer(out)
}

// PacketIn makes what the physical switch shows of a row's rules what the tenant's tables would show; false if the entry is
// gone. The frame is pin's.
func (s *Switch) PacketIn(number uint32, pin *openflow.PacketIn) (p flowtable.PacketIn, ok bool) {
	r := s.rows[number]
	if r == nil || !r.entry && !r.miss && !r.leftover && r.flow == nil {
		return p, false
	}
	p = flowtable.PacketIn{Reason: pin.Reason, Table: r.told.table, MaxLen: openflow.ControllerNoCut, Cookie: r.told.cookie,
		InPort: pin.InPort, Buffer: openflow.NoBuffer, Frame: pin.Data}
	switch {
	case r.miss:
		p.Reason, p.Cookie, p.Only10, p.MissLen = openflow.ReasonNoMatch, ^uint64(0), true, true
	case p.Reason == openflow.ReasonAction && r.told.isMiss():
		p.Reason = openflow.ReasonNoMatch
	}
	if p.Reason == openflow.ReasonNoMatch && s.ports[p.InPort]&openflow.PortConfigNoPacketIn != 0 {
		return p, false
	}
	if value, _, has := metadataOf(&pin.Match); has {
		p.Metadata = value &^ plan.MetadataTenant
	}
	return p, true
}

// PacketIn10 is PacketIn for a physical switch of OpenFlow 1.0, which does not say of which rule a packet-in is: the entry is
// the one that shows this frame. One that has changed the frame before may not be found: then it is told as of an action,
// without a cookie. The frame is counted at the port.
func (s *Switch) PacketIn10(pin *openflow.PacketIn, now time.Duration, out Output) flowtable.PacketIn {
	s.begin(Origin{}, now, out)
	seen := shown{changes: (*changes)(s)}
	s.tables.ReceiveUncounted(pin.InPort, pin.Data, now, &seen)
	if len(seen.list) == 0 {
		seen.list = []flowtable.PacketIn{{Reason: openflow.ReasonAction, MaxLen: openflow.ControllerNoCut, Cookie: ^uint64(0)}}
	}
	p := seen.list[0]
	p.InPort, p.Buffer, p.Frame = pin.InPort, openflow.NoBuffer, pin.Data
	return p
}

// shown has the packet-ins of a frame, and sends nothing.
type shown struct {
	*changes
	list []flowtable.PacketIn
}

// Transmit does nothing.
func (*shown) Transmit(uint32, uint32, []byte) {}

// PacketIn notes one.
func (x *shown) PacketIn(p *flowtable.PacketIn) { x.list = append(x.list, *p) }

// isMiss reports whether an entry is that of a table-miss which applies its output to the controller. In the physical
// switch it has a match, and is none.
func (t *entryCopy) isMiss() bool {
	return t.priority == 0 && len(t.match.OXM) == 0 && !t.v10 && slices.ContainsFunc(t.instructions,
		func(in openflow.Instruction) bool {
			return in.Type == openflow.InstructionApplyActions && slices.ContainsFunc(in.Actions, func(a openflow.Action) bool {
				return a.Type == openflow.ActionOutput && a.Port == openflow.PortController
			})
		})
}
