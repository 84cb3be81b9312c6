package table

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/render"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/tenant"
)

// matchMax bounds the fields of a match that is read: OpenFlow has no more.
const matchMax = 64

// Parse reads a definition as the API has it. A number that is not given is left 0. The error is a *tenant.Error.
func Parse(q *client.TenantDefinition) (*tenant.Definition, error) {
	d := &tenant.Definition{Name: q.Name, Number: q.Number, Reactive: q.Reactive}
	switch {
	case len(q.Ports) > tenant.PortsMax:
		return nil, &tenant.Error{Field: "ports", Given: fmt.Sprint(len(q.Ports)),
			Want: fmt.Sprintf("at most %d", tenant.PortsMax)}
	case len(q.Space) > tenant.RegionsMax:
		return nil, &tenant.Error{Field: "space", Given: fmt.Sprintf("%d regions", len(q.Space)),
			Want: fmt.Sprintf("at most %d", tenant.RegionsMax)}
	}
	for i, text := range q.Ports {
		p, err := parsePort(text)
		if err != nil {
			return nil, &tenant.Error{Field: fmt.Sprintf("ports[%d]", i), Given: strconv.Quote(rest.Truncate(text)),
				Want: err.Error()}
		}
		d.Ports = append(d.Ports, p)
	}
	for i := range q.Space {
		w, err := parseMatch(fmt.Sprintf("space[%d].match", i), q.Space[i].Match)
		if err != nil {
			return nil, err
		}
		w.Priority, w.ReadOnly = q.Space[i].Priority, q.Space[i].ReadOnly
		d.Written = append(d.Written, w)
	}
	for i, text := range q.Controllers {
		c, err := tenant.ParseController(text)
		if err != nil {
			return nil, &tenant.Error{Field: fmt.Sprintf("controllers[%d]", i), Given: strconv.Quote(rest.Truncate(text)),
				Want: "tcp:HOST:PORT or ssl:HOST:PORT, such as tcp:127.0.0.1:6653"}
		}
		d.Controllers = append(d.Controllers, c)
	}
	if l := q.Limits; l != nil {
		d.Limits = tenant.Limits(*l)
	}
	number := d.Number
	d.Number = max(number, 1)
	err := d.Check()
	d.Number = number
	return d, err
}

// parseMatch reads a match, with ranges. Whether a switch takes it is for Check to say.
func parseMatch(at string, fields client.Selector) (w tenant.Written, err error) {
	if len(fields) > matchMax {
		return w, &tenant.Error{Field: at, Given: fmt.Sprintf("%d fields", len(fields)),
			Want: fmt.Sprintf("at most %d", matchMax)}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		f, known := openflow.FieldByName(name)
		if !known {
			return w, &tenant.Error{Field: at, Given: strconv.Quote(rest.Truncate(name)),
				Want: "fields by their OpenFlow 1.3 names, such as eth_dst"}
		}
		r, is, err := tenant.ParseRange(f, fields[name])
		switch {
		case err != nil:
			return w, &tenant.Error{Field: at + "." + f.String(), Given: strconv.Quote(rest.Truncate(fields[name])),
				Want: err.Error()}
		case is:
			w.Ranges = append(w.Ranges, r)
			continue
		}
		var tlv openflow.Match
		if err := tlv.SetText(name, fields[name]); err != nil {
			_, why, _ := strings.Cut(err.Error(), ": want ")
			if why == "" {
				_, why, _ = strings.Cut(err.Error(), ": ")
			}
			return w, &tenant.Error{Field: at + "." + f.String(), Given: strconv.Quote(rest.Truncate(fields[name])), Want: why}
		}
		w.Match.OXM = append(w.Match.OXM, tlv.OXM...)
	}
	return w, nil
}

// Format writes a definition as the API has it. It is what Parse reads, in one form.
func Format(d *tenant.Definition) client.TenantDefinition {
	q := client.TenantDefinition{Name: d.Name, Number: d.Number, Ports: []string{}, Reactive: d.Reactive}
	for _, p := range d.Ports {
		q.Ports = append(q.Ports, tenant.FormatPort(p))
	}
	for i := range d.Written {
		w := &d.Written[i]
		r := client.TenantRegion{Priority: w.Priority, Match: render.Match(&w.Match), ReadOnly: w.ReadOnly}
		for k := range w.Ranges {
			r.Match[w.Ranges[k].Field.String()] = w.Ranges[k].String()
		}
		q.Space = append(q.Space, r)
	}
	if len(d.Written) == 0 {
		for i := range d.Space {
			r := &d.Space[i]
			q.Space = append(q.Space, client.TenantRegion{Priority: r.Priority, Match: render.Match(&r.Match)})
		}
		for i := range d.Watched {
			q.Space = append(q.Space, client.TenantRegion{Match: render.Match(&d.Watched[i].Match), ReadOnly: true})
		}
	}
	for _, c := range d.Controllers {
		q.Controllers = append(q.Controllers, c.String())
	}
	if d.Limits != (tenant.Limits{}) {
		l := client.TenantLimits(d.Limits)
		q.Limits = &l
	}
	return q
}

var errPort = errors.New("DPID/PORT, DPID/* or *, such as 0000000000000001/3")

// parsePort reads what tenant.FormatPort writes. The error says what is wanted.
func parsePort(text string) (netview.Point, error) {
	if text == "*" {
		return tenant.AllPorts, nil
	}
	id, number, ok := strings.Cut(text, "/")
	dpid, err := client.ParseDPID(id)
	if !ok || err != nil || dpid == 0 {
		return netview.Point{}, errPort
	}
	if number == "*" {
		return netview.Point{DPID: netview.DPID(dpid)}, nil
	}
	port, err := strconv.ParseUint(number, 10, 32)
	if err != nil || port == 0 {
		return netview.Point{}, errPort
	}
	return netview.Point{DPID: netview.DPID(dpid), Port: uint32(port)}, nil
}
