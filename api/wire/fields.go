package wire

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

const allFields = "id, kind, priority, src, dst, hops, selector, wide, constraints or protected"

// request reads the fields of one request. In a stream it may have an op.
func (p *JSON) request(b *Batch, r *intent.Request, stream bool) error {
	if r.Op == 0 {
		r.Op = intent.Create
	}
	r.Spec.Priority = spec.PriorityDefault
	err := p.object("", "an intent", func(name string) error { return p.field(b, r, name, stream) })
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
func (p *JSON) field(b *Batch, r *intent.Request, name string, stream bool) (err error) {
	s := &r.Spec
	switch name {
	case "id":
		s.ID, err = p.str(name)
	case "kind":
		s.Kind, err = p.kind()
	case "priority":
		var n uint64
		n, err = p.number(name, "", spec.PriorityMax)
		s.Priority = uint16(n)
	case "src":
		s.Src, err = p.endList(b, name)
	case "dst":
		s.Dst, err = p.endList(b, name)
	case "hops":
		s.Hops, err = p.hopList(b)
	case "selector":
		err = p.selector(b, s)
	case "wide":
		s.Wide, err = p.boolean(name)
	case "constraints":
		if p.d.PeekKind() != '{' {
			return p.mismatch(name, "{} or none: constraints are not served yet")
		}
		err = p.object(name, "{}", func(name string) error {
			return &spec.Error{Field: "constraints." + name, Given: "a constraint", Want: "none: constraints are not served yet"}
		})
	case "protected":
		var yes bool
		if yes, err = p.boolean(name); yes {
			err = &spec.Error{Field: name, Given: "true", Want: "false: protection is not served yet"}
		}
	default:
		if stream {
			return p.streamField(r, name)
		}
		return unknown(name, allFields)
	}
	return err
}

// ops are the operations of requests in a stream, opNames their names.
var (
	opNames = [...]string{client.OpCreate, client.OpPut, client.OpWithdraw}
	ops     = [...]intent.Op{intent.Create, intent.Replace, intent.Withdraw} // by their numbers of intentpb
)

// streamField reads what requests of a stream have besides.
func (p *JSON) streamField(r *intent.Request, name string) (err error) {
	switch name {
	case "op":
		var op string
		op, err = p.str(name)
		if i := slices.Index(opNames[:], op); i >= 0 {
			r.Op = ops[i]
		} else if err == nil {
			return &spec.Error{Field: name, Given: quote(op), Want: "create, put or withdraw"}
		}
	case "if_match":
		r.IfMatch, err = p.str(name)
	case "key":
		r.Key, err = p.str(name)
	default:
		return unknown(name, "op, if_match, key, "+allFields)
	}
	return err
}

func unknown(name, known string) error {
	return &spec.Error{Field: truncate(name), Given: "a field that is not known", Want: "one of " + known}
}

func (p *JSON) kind() (spec.Kind, error) {
	name, err := p.str("kind")
	if err != nil {
		return 0, err
	}
	k, ok := spec.ParseKind(name)
	if !ok {
		return 0, &spec.Error{Field: "kind", Given: quote(name), Want: strings.Join(spec.KindNames(), ", ")}
	}
	return k, nil
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
