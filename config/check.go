package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/strictyaml"
)

// check finds what is wrong between fields.
func (r *reader) check(c *Config) {
	wrong := func(path, format string, args ...any) {
		r.Add(strictyaml.Problem{Line: r.lines[path], Path: path, Text: fmt.Sprintf(format, args...)})
	}
	if (c.API.TLSCert == "") != (c.API.TLSKey == "") {
		wrong("api", "tls_cert and tls_key: give both or neither")
	}
	if of := c.OpenFlow; (of.TLSCert == "") != (of.TLSKey == "") || (of.TLSCert == "") != (of.TLSCA == "") {
		wrong("openflow", "tls_cert, tls_key and tls_ca: give all or none")
	}
	if p := c.Peer; (p.TLSCert == "") != (p.TLSKey == "") || (p.TLSCert == "") != (p.TLSCA == "") {
		wrong("peer", "tls_cert, tls_key and tls_ca: give all or none")
	}
	r.checkApps(c)
	c.checkNames(wrong)
	c.checkLinks(wrong)
}

// checkNames wants names of switches to be unique.
func (c *Config) checkNames(wrong func(path, format string, args ...any)) {
	named := map[string]netview.DPID{}
	for _, dpid := range slices.Sorted(maps.Keys(c.Switches)) {
		name := c.Switches[dpid].Name
		if name == "" {
			continue
		}
		at := under("switches", dpid.String()) + ".name"
		if other, twice := named[name]; twice {
			wrong(at, "%s is the name of switch %s already", strictyaml.Quote(name), other)
		}
		named[name] = dpid
	}
}

// checkLinks wants each direction to be said once, and not at a port where no link is to be.
func (c *Config) checkLinks(wrong func(path, format string, args ...any)) {
	said := map[netview.LinkKey]LinkRef{}
	for _, ref := range slices.SortedFunc(maps.Keys(c.Links), LinkRef.compare) {
		at := under("links", ref.String())
		for _, key := range ref.Keys() {
			if other, twice := said[key]; twice {
				wrong(at, "%s has said it of this direction already", other)
				break
			}
			said[key] = ref
		}
		for _, p := range []netview.Point{ref.A, ref.B} {
			if c.Ports[p].Edge {
				wrong(at, "port %s is said to be edge: no link can be there", FormatPoint(p))
			}
		}
	}
}
