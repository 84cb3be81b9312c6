package tenant

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// Bounds of a definition.
const (
	NameMax    = 64
	RegionsMax = 1000
	PortsMax   = 1 << 16
	// ControllersMax is how many controllers a switch of a tenant may have.
	ControllersMax = 16
	// PriorityMax is the highest priority of a region: each has a priority of the tenants' band of its own.
	PriorityMax = uint16(1000)
)

// Definition is what an operator says of a tenant.
type Definition struct {
	Name   string // lower-case letters, digits and "-"
	ID     string // that no other tenant has or had; given when it is made
	Number uint16 // 1 to plan.TenantMax, of no other tenant: it is in cookies and in the metadata
	// Ports are those at which the tenant's packets come in and go out. Port 0 stands for all ports of its switch, and
	// AllPorts for those of all switches, whichever there are.
	Ports []netview.Point
	// Space is which packets are the tenant's. Without regions it is all at its ports, which are no other tenant's then.
	Space []Region
	// Watched are read-only regions, whichever their packets' tenants are: the packets of them that switches show at the
	// tenant's ports are shown to it too. They have no priority, and are part of no space. A tenant that has only these owns
	// no packets.
	Watched []Region
	// Written is the space as it was written, with read-only regions, if ranges are in it: Check makes Space and Watched of
	// it. Else it is empty.
	Written []Written
	Limits  Limits
	// Reactive: at switches with one table for all, what does not fit into it has packets be handled by the virtual tables,
	// which may be several then, and by micro-flows.
	Reactive bool
	// Controllers are those that Weir connects each of the tenant's switches to.
	Controllers []Controller
}

// AllPorts stands for all ports of all switches.
var AllPorts = netview.Point{}

// Whole reports whether all packets at the tenant's ports are its own, and these are no other tenant's.
func (d *Definition) Whole() bool { return len(d.Space) == 0 && len(d.Watched) == 0 }

// Controller is where a controller of a tenant listens.
type Controller struct {
	Address string // host and port
	TLS     bool
}

// String is the controller as Open vSwitch writes it.
func (c Controller) String() string {
	if c.TLS {
		return "ssl:" + c.Address
	}
	return "tcp:" + c.Address
}

// Region is a part of a space. Of the regions that a packet is in, the one with the highest priority says whose it is.
type Region struct {
	Priority uint16 // 1 to PriorityMax
	Match    openflow.Match
}

// String is the region in text.
func (r *Region) String() string { return fmt.Sprintf("%s of priority %d", r.Match, r.Priority) }

// Error is what is wrong with a definition: what was given in a field of it, and what is wanted.
type Error struct{ Field, Given, Want string }

// Error says it.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s given, want %s", e.Field, e.Given, e.Want) }

// refusedFields are those that no region may have, and why.
var refusedFields = map[openflow.Field]string{
	openflow.FieldInPort:    "none: the ports are those of the definition",
	openflow.FieldInPhyPort: "none: the ports are those of the definition",
	openflow.FieldMetadata:  "none: it is not in the packet",
	openflow.FieldTunnelID:  "none: it is not in the packet",
}

// Check makes a definition canonical: ports and regions in order, each once. The error is an *Error.
func (d *Definition) Check() error {
	if err := checkName(d.Name); err != nil {
		return err
	}
	switch {
	case d.Number == 0 || d.Number > plan.TenantMax:
		return &Error{"number", fmt.Sprint(d.Number), fmt.Sprintf("1 to %d", plan.TenantMax)}
	case len(d.Ports) == 0:
		return &Error{"ports", "none", "at least one, as 0000000000000001/3"}
	case len(d.Ports) > PortsMax:
		return &Error{"ports", fmt.Sprint(len(d.Ports)), fmt.Sprintf("at most %d", PortsMax)}
	}
	for i, p := range d.Ports {
		if p.DPID == 0 && p.Port != 0 || p.Port > openflow.PortMax {
			return &Error{fmt.Sprintf("ports[%d]", i), p.String(), "a switch and a port of it, as 0000000000000001/3"}
		}
	}
	d.Ports = canonicalPorts(d.Ports)
	if err := d.checkControllers(); err != nil {
		return err
	}
	if err := d.Limits.check(); err != nil {
		return err
	}
	return d.checkSpace()
}

// canonicalPorts are the ports in order, each once, without those that others stand for.
func canonicalPorts(given []netview.Point) []netview.Point {
	list := slices.Clone(given)
	slices.SortFunc(list, netview.Point.Compare)
	if list[0] == AllPorts {
		return list[:1]
	}
	kept := list[:0]
	for _, p := range list {
		if n := len(kept); n > 0 && (kept[n-1] == p || kept[n-1] == netview.Point{DPID: p.DPID}) {
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

// At returns the tenant's ports at a switch, in order; all: whichever it has.
func (d *Definition) At(dpid netview.DPID) (ports []uint32, all bool) {
	if len(d.Ports) > 0 && d.Ports[0] == AllPorts {
		return nil, true
	}
	i, _ := slices.BinarySearchFunc(d.Ports, netview.Point{DPID: dpid}, netview.Point.Compare)
	for ; i < len(d.Ports) && d.Ports[i].DPID == dpid; i++ {
		if d.Ports[i].Port == 0 {
			return nil, true
		}
		ports = append(ports, d.Ports[i].Port)
	}
	return ports, false
}

// Has reports whether a port is the tenant's.
func (d *Definition) Has(p netview.Point) bool {
	for _, as := range []netview.Point{AllPorts, {DPID: p.DPID}, p} {
		if _, has := slices.BinarySearchFunc(d.Ports, as, netview.Point.Compare); has {
			return true
		}
	}
	return false
}

// checkControllers checks addresses, and leaves each controller once, in the order given.
func (d *Definition) checkControllers() error {
	if len(d.Controllers) > ControllersMax {
		return &Error{"controllers", fmt.Sprint(len(d.Controllers)), fmt.Sprintf("at most %d", ControllersMax)}
	}
	var kept []Controller
	for i, c := range d.Controllers {
		host, port, err := net.SplitHostPort(c.Address)
		if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n == 0 || host == "" {
			return &Error{fmt.Sprintf("controllers[%d]", i), fmt.Sprintf("%q", c.Address),
				"a host and a port, as tcp:127.0.0.1:6653 or ssl:[2001:db8::1]:6653"}
		}
		if !slices.Contains(kept, c) {
			kept = append(kept, c)
		}
	}
	d.Controllers = kept
	return nil
}

func checkName(name string) error {
	outside := func(c rune) bool { return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-') }
	if name == "" || len(name) > NameMax || strings.ContainsFunc(name, outside) || strings.HasPrefix(name, "-") {
		return &Error{"name", fmt.Sprintf("%q", name),
			fmt.Sprintf("1 to %d lower-case letters, digits and \"-\", not first", NameMax)}
	}
	return nil
}

// checkFields refuses fields that no region may have, and those of experimenters, which nothing here understands.
func checkFields(field string, m openflow.Match) error {
	known := 0
	for f := range openflow.Field(numFields) {
		value, mask, has := m.Lookup(f)
		if why := refusedFields[f]; has && why != "" {
			return &Error{field, f.String(), why}
		}
		if has {
			known += oxmHeader + len(value) + len(mask)
		}
	}
	if known != len(m.OXM) {
		return &Error{field, m.String(), "fields of OpenFlow 1.3"}
	}
	return nil
}

// oxmHeader is the length of the header of an OXM TLV (OpenFlow 1.3.5, section 7.2.3.2).
const oxmHeader = 4

// checkSpace makes Space of what was written, and brings both into order.
func (d *Definition) checkSpace() error {
	written := slices.Clone(d.Written)
	if len(written) == 0 {
		for _, r := range d.Space {
			written = append(written, Written{Region: r})
		}
		for _, r := range d.Watched {
			written = append(written, Written{Region: r, ReadOnly: true})
		}
	}
	if err := checkCount(written); err != nil {
		return err
	}
	d.Space, d.Watched, d.Written = nil, nil, nil
	ranges := false
	for i := range written {
		w, field := &written[i], fmt.Sprintf("space[%d]", i)
		regions, err := w.regions(field)
		if err != nil {
			return err
		}
		for k := range regions {
			if err := regions[k].check(field, w.ReadOnly); err != nil {
				return err
			}
		}
		ranges = ranges || len(w.Ranges) > 0
		if w.ReadOnly {
			d.Watched = append(d.Watched, regions...)
		} else {
			d.Space = append(d.Space, regions...)
		}
	}
	d.Space, d.Watched = inOrder(d.Space), inOrder(d.Watched)
	if ranges {
		slices.SortFunc(written, compareWritten)
		d.Written = slices.CompactFunc(written, func(a, b Written) bool { return compareWritten(a, b) == 0 })
	}
	return nil
}

// inOrder returns regions in order, each once.
func inOrder(list []Region) []Region {
	slices.SortFunc(list, compareRegions)
	return slices.CompactFunc(list, func(a, b Region) bool { return compareRegions(a, b) == 0 })
}

// check refuses what no region may be, and makes it canonical.
func (r *Region) check(field string, readOnly bool) error {
	switch {
	case readOnly && r.Priority != 0:
		return &Error{field + ".priority", fmt.Sprint(r.Priority), "none: a read-only region takes no packets from others"}
	case !readOnly && (r.Priority == 0 || r.Priority > PriorityMax):
		return &Error{field + ".priority", fmt.Sprint(r.Priority), fmt.Sprintf("1 to %d", PriorityMax)}
	}
	r.Match = r.Match.Canonical()
	if err := r.Match.Check(); err != nil {
		return &Error{field + ".match", r.Match.String(), "what a switch takes: " + err.Error()}
	}
	if err := checkFields(field+".match", r.Match); err != nil {
		return err
	}
	switch {
	case len(r.Match.OXM) > 0:
	case readOnly:
		return &Error{field + ".match", "all packets", "a field; two regions, of vlan_vid=none and vlan_vid=any, have all packets"}
	default:
		return &Error{field + ".match", "all packets", "a field, or no space at all: then all packets at the ports are the tenant's"}
	}
	return nil
}

// compareRegions orders regions by falling priority.
func compareRegions(a, b Region) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Match.Key(), b.Match.Key()))
}
