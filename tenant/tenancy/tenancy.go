package tenancy

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/connect"
	"github.com/weirnet/weir/tenant/shares"
	"github.com/weirnet/weir/tenant/vswitch"
)

// tenancy is a tenant in force. It is the part's.
type tenancy struct {
	of         *Tenancies
	definition *tenant.Definition
	space      *tenant.Space
	frames     *vswitch.Frames // nil: all at the tenant's ports is its own
	rows       *vswitch.Rows
	account    *shares.Account // of its turns
	virtual    map[netview.DPID]*virtual
	classified map[netview.DPID]classified
	stale      bool // what it has at switches does not follow its definition, or others', yet
	unmetered  map[netview.DPID]unmetered
}

// define gives the tenancy its definition, and reports whether it is another one.
func (t *tenancy) define(d *tenant.Definition) bool {
	if t.definition == d {
		return false
	}
	t.definition = d
	for _, v := range t.virtual {
		v.sw.SetLimits(d.Limits)
	}
	return true
}

// single reports whether the tenant's packets are told at some switch with one table, where others' spaces move its rules.
func (t *tenancy) single() bool {
	for _, c := range t.classified {
		if c.form.single {
			return true
		}
	}
	return false
}

// setSpace gives the tenancy its space, as others leave it.
func (t *tenancy) setSpace(space *tenant.Space, frames *vswitch.Frames) {
	if t.space, t.frames = space, frames; t.definition.Whole() {
		t.frames = nil
	}
	for _, v := range t.virtual {
		v.whole.Store(t.frames == nil)
		v.sw.SetSpace(t.space, t.frames)
	}
}

// switches are those at which the tenant has something, or may have.
func (t *tenancy) switches(snap *netview.Snapshot) map[netview.DPID]bool {
	all := make(map[netview.DPID]bool)
	for sw := range snap.Switches() {
		all[sw.DPID] = true
	}
	for dpid := range t.virtual {
		all[dpid] = true
	}
	for dpid := range t.classified {
		all[dpid] = true
	}
	return all
}

// remove ends the tenancy.
func (t *tenancy) remove() {
	for dpid := range t.classified {
		t.classify(dpid, classified{})
	}
	for dpid := range t.virtual {
		t.removeAt(dpid)
	}
}

// removeAt ends the tenant's virtual switch at a switch.
func (t *tenancy) removeAt(dpid netview.DPID) {
	v := t.virtual[dpid]
	t.of.mu.Lock()
	delete(t.virtual, dpid)
	t.of.mu.Unlock()
	v.connect(nil)
	v.sw.Withdraw()
	v.physical.leave(v)
	v.physical.set(v.tenant, nil)
}

// refresh has the virtual switch at a switch follow the definition and the view. It returns when to do so again because the
// physical switch is away.
func (t *tenancy) refresh(snap *netview.Snapshot, dpid netview.DPID) (again time.Time) {
	row, known := snap.Switch(dpid)
	here, all := t.definition.At(dpid)
	v := t.virtual[dpid]
	if !known || row.Tables == 0 || !plan.SingleTable(row.Version, row.Tables) && row.Tables <= plan.TableTenantFirst {
		t.classify(dpid, classified{}) // a switch that is not known, or that has no room for tenants
		if v != nil {
			t.removeAt(dpid)
		}
		return time.Time{}
	}
	ports := t.ports(snap, row)
	problem := t.classifyAt(row, ports)
	if len(here) == 0 && !all {
		if v != nil {
			t.removeAt(dpid)
		}
		return time.Time{}
	}
	// another switch, or another version, under the same datapath id; or another definition
	if v != nil && v.form != formOf(row, t.definition.Reactive) {
		t.removeAt(dpid)
		v = nil
	}
	if v == nil {
		v = t.add(row, ports)
	}
	v.setPorts(ports)
	v.noteBandwidth(problem)
	if row.Connected {
		v.away = false
		v.connect(t.definition.Controllers)
		return time.Time{}
	}
	if left := Patience - t.of.cfg.Now().Sub(row.Since); left > 0 && v.connected() {
		v.away = true
		return t.of.cfg.Now().Add(left)
	}
	v.away = false
	v.connect(nil)
	return time.Time{}
}

// add makes the virtual switch at a switch, where it has ports; with the tables that it had when Weir ended.
func (t *tenancy) add(row *netview.Switch, ports []openflow.Port) *virtual {
	v := &virtual{all: t.of, tenant: t.definition.Number, physical: t.of.at(row.DPID),
		form: formOf(row, t.definition.Reactive), ports: make(map[uint32]openflow.Port),
		controllers: make(map[tenant.Controller]*controller)}
	v.whole.Store(t.frames == nil)
	v.sw = connect.New(connect.Config{
		Config: vswitch.Config{Tenant: v.tenant, DPID: row.DPID, Tables: v.form.tables, Space: t.space, Frames: t.frames,
			Rows: t.rows, Single: v.form.single, Reactive: v.form.reactive, Version: row.Version, ID: t.definition.ID,
			Epoch: t.of.began},
		Name: t.definition.Name, Sessions: t.of.sessions, Now: t.of.elapsed, Physical: v, Journal: t.of.saver.of(),
		Account: t.account,
	})
	t.of.mu.Lock()
	t.virtual[row.DPID] = v
	t.of.mu.Unlock()
	v.physical.set(v.tenant, v)
	t.restore(v, ports)
	v.sw.SetLimits(t.definition.Limits) // what there is stays
	return v
}

// ports are those of a switch that the tenant has there.
func (t *tenancy) ports(snap *netview.Snapshot, row *netview.Switch) (list []openflow.Port) {
	for i := range row.Ports {
		p := &row.Ports[i]
		at := netview.Point{DPID: row.DPID, Port: p.Number}
		if p.Number > openflow.PortMax || !t.definition.Has(at) || !t.mayUse(snap, at, p) {
			continue
		}
		speed := uint32(min(p.SpeedMbps, 4_000_000) * 1000) // kbit/s
		port := openflow.Port{Number: p.Number, HWAddr: p.MAC, Name: p.Name, CurrSpeed: speed, MaxSpeed: speed}
		if !p.Up {
			port.State = openflow.PortStateDown
		}
		list = append(list, port)
	}
	return list
}

// mayUse reports whether a port of the definition leads to hosts, or to another port of the definition. While it is up, and
// discovery has not found out where it leads, it may lead to others.
func (t *tenancy) mayUse(snap *netview.Snapshot, at netview.Point, p *netview.Port) bool {
	switch {
	case t.definition.Has(tenant.AllPorts), p.Role == netview.PortEdge, p.Role == netview.PortBlocked:
		return true
	case p.Role == netview.PortUnknown:
		return !p.Up
	}
	for l := range snap.LinksFromPoint(at) {
		if !t.definition.Has(l.Dst) {
			return false
		}
	}
	for l := range snap.LinksToPoint(at) {
		if !t.definition.Has(l.Src) {
			return false
		}
	}
	return true
}

// form is what of a physical switch decides how a virtual one stands on it.
type form struct {
	version  openflow.Version
	single   bool
	tables   uint8 // of the virtual switch
	reactive bool
}

// formOf returns it for a tenant that may be served by micro-flows, or not.
func formOf(row *netview.Switch, reactive bool) form {
	switch {
	case !plan.SingleTable(row.Version, row.Tables):
		return form{version: row.Version, tables: min(row.Tables-plan.TableTenantFirst, vswitch.TablesMax)}
	case reactive:
		return form{row.Version, true, vswitch.TablesMax, true}
	}
	return form{version: row.Version, single: true, tables: 1}
}

// virtual is a tenant's switch. Its methods are called by the part, but for those of connect.Physical.
type virtual struct {
	all      *Tenancies
	tenant   uint16
	physical *physical
	sw       *connect.Switch

	sent   openflow.PacketOut // scratch of Send, which is called one at a time
	action [1]openflow.Action // of sent
	form   form
	whole  atomic.Bool // all at its ports is the tenant's
	away   bool        // the physical switch is away, and controllers are to lose their connections soon

	mu          sync.Mutex               // guards what follows
	bandwidth   string                   // why the limit of bandwidth is not in force
	ports       map[uint32]openflow.Port // the part alone changes them
	controllers map[tenant.Controller]*controller
	restarted   Restart
}

// setPorts gives the switch its ports, and takes others away.
func (v *virtual) setPorts(list []openflow.Port) {
	gone := make(map[uint32]bool)
	for number := range v.ports {
		gone[number] = true
	}
	for _, p := range list {
		delete(gone, p.Number)
		if was, had := v.ports[p.Number]; !had || was != p {
			v.note(p, true)
			v.sw.SetPort(p)
		}
	}
	for number := range gone {
		v.note(openflow.Port{Number: number}, false)
		v.sw.RemovePort(number)
	}
}

// note notes that a port is the switch's, or is not.
func (v *virtual) note(p openflow.Port, has bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if delete(v.ports, p.Number); has {
		v.ports[p.Number] = p
	}
}

// noteBandwidth notes why the limit of bandwidth is not in force.
func (v *virtual) noteBandwidth(problem string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.bandwidth = problem
}

// errAway ends connections to controllers.
var errAway = errors.New("the tenant has no such switch any more, or it is away")

// Order implements connect.Physical.
func (v *virtual) Order(list []ruleset.Order) { v.all.cfg.Orders(list) }

// Send implements connect.Physical.
func (v *virtual) Send(port uint32, frame []byte) {
	p := v.physical.part.Load()
	if p == nil {
		return
	}
	if isDiscovery(frame) {
		v.all.probes.sent(v.tenant, netview.Point{DPID: v.physical.dpid, Port: port}, frame, v.all.elapsed())
	}
	v.action[0] = openflow.Output(port)
	v.sent = openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController, Actions: v.action[:], Data: frame}
	_ = p.out.PacketOut(&v.sent) // one that the switch's queue has no room for is lost, as any packet
	v.sent.Data = nil
}

// Flush implements connect.Physical.
func (v *virtual) Flush() {
	if p := v.physical.part.Load(); p != nil {
		p.out.Flush()
	}
}
