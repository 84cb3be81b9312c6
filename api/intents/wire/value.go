package wire

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// object reads an object and has each field's value read by f. What is "" for the whole.
func (p *JSON) object(what, want string, f func(name string) error) error {
	if err := p.open('{', what, want); err != nil {
		return err
	}
	for p.d.PeekKind() != '}' {
		v, err := p.d.ReadValue()
		if err != nil {
			return err
		}
		if err := f(unquote(p.substring(v), v)); err != nil {
			return err
		}
	}
	_, err := p.d.ReadToken()
	return err
}

// open reads the beginning of an object or a list.
func (p *JSON) open(k jsontext.Kind, what, want string) error {
	if p.d.PeekKind() != k {
		return p.mismatch(what, want)
	}
	_, err := p.d.ReadToken()
	return err
}

// mismatch refuses a value that is not of the kind wanted; or says that there is none.
func (p *JSON) mismatch(what, want string) error {
	v, err := p.d.ReadValue()
	if err != nil {
		return err
	}
	if what == "" {
		what = "body"
	}
	return &spec.Error{Field: what, Given: truncate(string(v)), Want: want}
}

// substring returns the value just read, as a substring of the text.
func (p *JSON) substring(v jsontext.Value) string {
	to := int(p.d.InputOffset())
	return p.text[to-len(v) : to]
}

// unquote returns a string without its quotes and escapes; s and v are the same.
func unquote(s string, v jsontext.Value) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s[1 : len(s)-1]
	}
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(b)
}

func (p *JSON) str(what string) (string, error) {
	if p.d.PeekKind() != '"' {
		return "", p.mismatch(what, "a string")
	}
	return p.scalar('"')
}

// scalar reads a string or a number ('0'), which is known to be next.
func (p *JSON) scalar(k jsontext.Kind) (string, error) {
	v, err := p.d.ReadValue()
	switch {
	case err != nil:
		return "", err
	case k == '"':
		return unquote(p.substring(v), v), nil
	}
	return p.substring(v), nil
}

// number reads a whole number from 0 to most, of the field sub of what.
func (p *JSON) number(what, sub string, most uint64) (uint64, error) {
	if p.d.PeekKind() != '0' {
		return 0, p.mismatch(what+sub, wantNumber(most))
	}
	s, err := p.scalar('0')
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n > most {
		return 0, &spec.Error{Field: what + sub, Given: truncate(s), Want: wantNumber(most)}
	}
	return n, nil
}

func wantNumber(most uint64) string {
	return "a whole number from 0 to " + strconv.FormatUint(most, 10)
}

func (p *JSON) boolean(what string) (bool, error) {
	if k := p.d.PeekKind(); k != 't' && k != 'f' {
		return false, p.mismatch(what, "true or false")
	}
	t, err := p.d.ReadToken()
	if err != nil {
		return false, err
	}
	return t.Bool(), nil
}

func (p *JSON) dpid(what string) (netview.DPID, error) {
	if p.d.PeekKind() != '"' {
		return 0, p.mismatch(what+".dpid", "a string")
	}
	s, err := p.scalar('"')
	if err != nil {
		return 0, err
	}
	n, err := client.ParseDPID(s)
	if err != nil {
		return 0,
			&spec.Error{Field: what + ".dpid", Given: quote(s), Want: "up to 16 hexadecimal digits, such as 00000000000000a1"}
	}
	return netview.DPID(n), nil
}

// selector reads match fields by their names, with values as text or numbers.
func (p *JSON) selector(b *Batch, s *spec.Spec) error {
	start := len(b.oxm)
	err := p.object("selector", `match fields such as {"ipv4_dst":"10.0.0.1","tcp_dst":80}`, func(name string) error {
		k := p.d.PeekKind()
		if k != '"' && k != '0' {
			return p.mismatch("selector."+truncate(name), "text or a number")
		}
		text, err := p.scalar(k)
		if err != nil {
			return err
		}
		return b.addField(name, text)
	})
	s.Selector.OXM = b.selector(start)
	return err
}

// addField appends a match field.
func (b *Batch) addField(name, text string) error {
	f, ok := openflow.FieldByName(name)
	if !ok {
		return &spec.Error{Field: "selector." + truncate(name), Given: "a field that is not known",
			Want: "a match field of OpenFlow 1.3, such as eth_type or ipv4_dst"}
	}
	start := len(b.oxm)
	var err error
	if b.oxm, err = openflow.AppendFieldText(b.oxm, f, text); err != nil {
		_, want, _ := strings.Cut(err.Error(), `": `)
		return &spec.Error{Field: "selector." + name, Given: quote(text), Want: strings.TrimPrefix(want, "want ")}
	}
	if slash := strings.IndexByte(text, '/'); slash >= 0 {
		return withinMask(f, text, text[:slash], b.oxm[start:])
	}
	return nil
}

// selector returns the match fields that were added from start on, in their one form if that fits
// into the memory of the batch.
func (b *Batch) selector(start int) []byte {
	end := len(b.oxm)
	if end == start || end-start > spec.MaxSelector {
		return b.oxm[start:end:end]
	}
	b.oxm = openflow.Match{OXM: b.oxm[start:end]}.AppendCanonical(b.oxm)
	return b.oxm[end:len(b.oxm):len(b.oxm)]
}

// HostID reads MAC or MAC/vlan.
func HostID(s string) (netview.HostID, bool) {
	addr, tag, tagged := strings.Cut(s, "/")
	mac, err := packet.ParseMAC(addr)
	vlan := uint64(0)
	if err == nil && tagged {
		vlan, err = strconv.ParseUint(tag, 10, 12)
	}
	return netview.HostID{MAC: mac, VLAN: uint16(vlan)}, err == nil
}

// truncate keeps what was sent from filling an answer; quote puts it in quotes besides.
func truncate(s string) string {
	const most = 60
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

func quote(s string) string { return strconv.Quote(truncate(s)) }
