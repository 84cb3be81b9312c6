package wire

import (
	"errors"
	"strconv"
	"strings"

	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/schema"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// request reads the fields of one request. In a stream it may have those of schema.Request.
func (p *JSON) request(b *Batch, r *intent.Request, part schema.Part) error {
	if r.Op == 0 {
		r.Op = intent.Create
	}
	r.Spec.SetDefaults()
	err := p.object("", "an intent", func(name string) error { return p.field(b, r, name, part) })
	if err != nil || r.Op != intent.Withdraw {
		return err
	}
	r.ID = r.Spec.ID
	if k := r.Spec.Kind; k != 0 {
		return &spec.Error{Field: "kind", Given: k.String(), Want: "nothing but an id with op withdraw"}
	}
	return nil
}

// field reads the value of one field.
func (p *JSON) field(b *Batch, r *intent.Request, name string, part schema.Part) (err error) {
	row := schema.Named(name)
	switch {
	case row == nil || row.Part == schema.Request && part != schema.Request:
		return unknown(name, schema.Known(part))
	case row.Unserved != "":
		return p.unserved(row)
	}
	var n uint64
	switch row.Form {
	case schema.Text:
		*text(r, row.Field), err = p.str(row.Name)
	case schema.Enum:
		if n, err = p.enum(row); err == nil {
			setEnum(r, row.Field, n)
		}
	case schema.Number:
		n, err = p.number(row.Name, "", row.Max)
		*r.Spec.NumberOf(row.Field) = uint16(n)
	case schema.Flag:
		*r.Spec.FlagOf(row.Field), err = p.boolean(row.Name)
	case schema.Ends:
		*r.Spec.EndsOf(row.Field), err = p.endList(b, row.Name)
	case schema.HopList:
		r.Spec.Hops, err = p.hopList(b)
	case schema.Match:
		err = p.selector(b, &r.Spec)
	}
	return err
}

// unserved refuses a field that has no effect yet, unless it says nothing.
func (p *JSON) unserved(row *schema.Row) error {
	if row.Form == schema.Flag {
		yes, err := p.boolean(row.Name)
		if yes {
			err = &spec.Error{Field: row.Name, Given: "true", Want: "false: " + row.Unserved}
		}
		return err
	}
	if p.d.PeekKind() != '{' {
		return p.mismatch(row.Name, "{} or none: "+row.Unserved)
	}
	return p.object(row.Name, "{}", func(name string) error {
		return &spec.Error{Field: row.Name + "." + name, Given: "a constraint", Want: "none: " + row.Unserved}
	})
}

func unknown(name, known string) error {
	return &spec.Error{Field: truncate(name), Given: "a field that is not known", Want: "one of " + known}
}

// enum reads the name of a value, and returns its number.
func (p *JSON) enum(row *schema.Row) (uint64, error) {
	name, err := p.str(row.Name)
	if err != nil {
		return 0, err
	}
	n, ok := row.ValueOf(name)
	if !ok {
		return 0, &spec.Error{Field: row.Name, Given: quote(name), Want: row.Choices()}
	}
	return n, nil
}

const wantEnd = `a host's id such as "00:00:00:00:00:01", a connect point such as {"dpid":"00000000000000a1","port":3}, or a list of connect points`

// endList reads a host id, a connect point, or a list of connect points.
func (p *JSON) endList(b *Batch, name string) ([]spec.End, error) {
	start := len(b.ends)
	switch p.d.PeekKind() {
	case '"':
		id, err := p.str(name)
		if err != nil {
			return nil, err
		}
		host, ok := HostID(id)
		if !ok {
			return nil, &spec.Error{Field: name, Given: quote(id), Want: wantEnd}
		}
		b.ends = append(b.ends, spec.End{Host: host})
	case '{':
		if err := p.point(b, name); err != nil {
			return nil, err
		}
	case '[':
		if _, err := p.d.ReadToken(); err != nil {
			return nil, err
		}
		for i := 0; p.d.PeekKind() != ']'; i++ {
			if i == spec.MaxEnds {
				return nil, &spec.Error{Field: name, Given: "more", Want: "at most " + strconv.Itoa(spec.MaxEnds)}
			}
			if err := p.point(b, name); err != nil {
				return nil, inList(err, name, i)
			}
		}
		if _, err := p.d.ReadToken(); err != nil {
			return nil, err
		}
	default:
		return nil, p.mismatch(name, wantEnd)
	}
	return b.ends[start:len(b.ends):len(b.ends)], nil
}

// inList returns an error of a list's element with the element's name: "src[1].port" for
// "src.port".
func inList(err error, list string, i int) error {
	var e *spec.Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Field, list) {
		return err
	}
	named := *e
	named.Field = list + "[" + strconv.Itoa(i) + "]" + e.Field[len(list):]
	return &named
}

func (p *JSON) point(b *Batch, name string) error {
	var at netview.Point
	err := p.object(name, "a connect point with dpid and port", func(field string) (err error) {
		switch field {
		case "dpid":
			at.DPID, err = p.dpid(name)
		case "port":
			var n uint64
			n, err = p.number(name, ".port", 0xffffffff)
			at.Port = uint32(n)
		default:
			return unknown(name+"."+field, "dpid and port")
		}
		return err
	})
	b.ends = append(b.ends, spec.End{Point: at})
	return err
}

func (p *JSON) hopList(b *Batch) ([]topology.Hop, error) {
	start := len(b.hops)
	if err := p.open('[', "hops", `a list such as [{"dpid":"00000000000000a1","in":1,"out":2}]`); err != nil {
		return nil, err
	}
	for p.d.PeekKind() != ']' {
		if len(b.hops)-start == spec.MaxHops {
			return nil, &spec.Error{Field: "hops", Given: "more", Want: "at most " + strconv.Itoa(spec.MaxHops)}
		}
		var h topology.Hop
		err := p.object("hops", "a hop with dpid, in and out", func(field string) (err error) {
			var n uint64
			switch field {
			case "dpid":
				h.DPID, err = p.dpid("hops")
			case "in":
				n, err = p.number("hops", ".in", 0xffffffff)
				h.In = uint32(n)
			case "out":
				n, err = p.number("hops", ".out", 0xffffffff)
				h.Out = uint32(n)
			default:
				return unknown("hops."+field, "dpid, in and out")
			}
			return err
		})
		if err != nil {
			return nil, inList(err, "hops", len(b.hops)-start)
		}
		b.hops = append(b.hops, h)
	}
	_, err := p.d.ReadToken()
	return b.hops[start:len(b.hops):len(b.hops)], err
}
