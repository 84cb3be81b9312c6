package client

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/weirnet/weir/intent/schema"
)

// The kinds of intents.
const (
	HostToHost        = "host-to-host"
	PointToPoint      = "point-to-point"
	MultipointToPoint = "multipoint-to-point"
	PointToMultipoint = "point-to-multipoint"
	ExplicitPath      = "path"
)

// PriorityDefault is the priority of an intent that says none; PriorityMax the highest. The lowest
// is 0.
const (
	PriorityDefault = schema.PriorityDefault
	PriorityMax     = schema.PriorityMax
)

// The operations of requests in a stream.
const (
	OpCreate   = "create"
	OpPut      = "put"
	OpWithdraw = "withdraw"
)

// IntentRequest asks for what is to be connected. What its fields say, and how they are written, is in
// the table of package schema.
type IntentRequest struct {
	Op       string      `json:"op,omitempty"`
	ID       string      `json:"id,omitempty"`
	Kind     string      `json:"kind,omitempty"`
	Priority *uint16     `json:"priority,omitempty"`
	Src      IntentEnds  `json:"src,omitzero"`
	Dst      IntentEnds  `json:"dst,omitzero"`
	Hops     []IntentHop `json:"hops,omitempty"`
	Selector Selector    `json:"selector,omitempty"`
	IfMatch  string      `json:"if_match,omitempty"`
	Key      string      `json:"key,omitempty"`
	Wide     bool        `json:"wide,omitempty"`

	// OXM is the selector as TLVs of OpenFlow 1.3, instead of Selector; in protobuf only.
	OXM []byte `json:"-"`
}

// text returns the place of a field of the forms Text and Enum.
func (r *IntentRequest) text(f schema.Field) *string {
	switch f {
	case schema.Op:
		return &r.Op
	case schema.ID:
		return &r.ID
	case schema.Kind:
		return &r.Kind
	case schema.IfMatch:
		return &r.IfMatch
	case schema.Key:
		return &r.Key
	}
	return nil
}

// number returns the place of a field of the form Number.
func (r *IntentRequest) number(f schema.Field) **uint16 {
	if f == schema.Priority {
		return &r.Priority
	}
	return nil
}

// flag returns the place of a field of the form Flag.
func (r *IntentRequest) flag(f schema.Field) *bool {
	if f == schema.Wide {
		return &r.Wide
	}
	return nil
}

// ends returns the place of a field of the form Ends.
func (r *IntentRequest) ends(f schema.Field) *IntentEnds {
	switch f {
	case schema.Src:
		return &r.Src
	case schema.Dst:
		return &r.Dst
	}
	return nil
}

// SetText sets a field that has one value, from its text, as commands give it. The error says what
// was expected.
func (r *IntentRequest) SetText(row *schema.Row, text string) error {
	wrong := fmt.Errorf("want %s", row.Want())
	switch row.Form {
	case schema.Text:
		if len(text) > row.MaxLength || !utf8.ValidString(text) {
			return wrong
		}
		*r.text(row.Field) = text
	case schema.Enum:
		if _, ok := row.ValueOf(text); !ok {
			return wrong
		}
		*r.text(row.Field) = text
	case schema.Number:
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n > row.Max {
			return wrong
		}
		v := uint16(n)
		*r.number(row.Field) = &v
	case schema.Flag:
		yes, err := strconv.ParseBool(text)
		if err != nil {
			return wrong
		}
		*r.flag(row.Field) = yes
	default:
		return fmt.Errorf("field %s has more than one value: want a member of the request", row.Name)
	}
	return nil
}

// Selector says which packets, by match fields: {"ipv4_dst": "10.0.0.0/8", "tcp_dst": "80"}.
type Selector map[string]string

// UnmarshalJSON takes numbers too.
func (s *Selector) UnmarshalJSON(b []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*s = make(Selector, len(raw))
	for name, v := range raw {
		text := string(v)
		if len(v) > 0 && v[0] == '"' {
			if err := json.Unmarshal(v, &text); err != nil {
				return err
			}
		}
		(*s)[name] = text
	}
	return nil
}

// IntentEnds is an end of an intent: a host's id, or connect points.
type IntentEnds struct {
	Host   string
	Points []Point
}

// HostEnd returns an end that is a host.
func HostEnd(id string) IntentEnds { return IntentEnds{Host: id} }

// PointEnds returns an end that is one connect point or several.
func PointEnds(p ...Point) IntentEnds { return IntentEnds{Points: p} }

// IsZero reports whether nothing is said.
func (e IntentEnds) IsZero() bool { return e.Host == "" && len(e.Points) == 0 }

// String returns the end as commands write it: a host's id, or DPID/PORT with commas between.
func (e IntentEnds) String() string {
	s := e.Host
	for i, p := range e.Points {
		if i > 0 {
			s += ","
		}
		s += p.DPID + "/" + fmt.Sprint(p.Port)
	}
	return s
}

// MarshalJSON returns the host's id as a string, one connect point as an object, several as a list.
func (e IntentEnds) MarshalJSON() ([]byte, error) {
	switch {
	case e.Host != "":
		return json.Marshal(e.Host)
	case len(e.Points) == 1:
		return json.Marshal(e.Points[0])
	}
	return json.Marshal(e.Points)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *IntentEnds) UnmarshalJSON(b []byte) error {
	*e = IntentEnds{}
	switch b[0] {
	case '"':
		return json.Unmarshal(b, &e.Host)
	case '[', 'n':
		return json.Unmarshal(b, &e.Points)
	}
	e.Points = make([]Point, 1)
	return json.Unmarshal(b, &e.Points[0])
}

// IntentHop is a switch on the way of an intent: in by one port, out by others (one, but where a
// point-to-multipoint intent divides).
type IntentHop struct {
	DPID string `json:"dpid" doc:"Datapath id, 16 hexadecimal digits."`
	In   uint32 `json:"in"`
	Out  uint32 `json:"out"`
}

// IntentBatch is several requests.
type IntentBatch struct {
	Items  []IntentRequest `json:"items" nullable:"false"`
	Atomic bool            `json:"atomic,omitempty" doc:"All are accepted, or none."`
}

// IntentAnswer is the answer to one request.
type IntentAnswer struct {
	Index    int    `json:"index" doc:"Of the request, from 0."`
	Line     int    `json:"line,omitempty" doc:"Of a refused line."`
	ID       string `json:"id,omitempty"`
	Status   string `json:"status" enum:"accepted,existing,not-found,conflict,invalid,mismatched,abandoned,failed" doc:"accepted: durable. existing: it was so before. not-found: there is no such intent. conflict: the id has another content, or another intent has the same packets. invalid: refused. mismatched: If-Match names another content. abandoned: another request of the atomic batch was refused. failed: the store did not take it, or does not know: send it again."`
	State    string `json:"state,omitempty" enum:"submitted,waiting,installing,installed,rerouting,degraded,failed,withdrawing"`
	Detail   string `json:"detail,omitempty" doc:"Why it was refused: what was given, what was expected."`
	ETag     string `json:"etag,omitempty" doc:"Of the content; If-Match takes it."`
	Revision string `json:"revision,omitempty" doc:"?at_least= takes it. Opaque."`
}

// OK reports whether what was asked for holds: the request was accepted, or it was so before.
func (a *IntentAnswer) OK() bool { return a.Status == "accepted" || a.Status == "existing" }

// IntentAnswers are the answers to a batch, in the order of its items.
type IntentAnswers struct {
	Items    []IntentAnswer `json:"items" nullable:"false"`
	Revision string         `json:"revision,omitempty"`
}

// Intent is an intent as it is now.
type Intent struct {
	ID        string        `json:"id"`
	Kind      string        `json:"kind"`
	Priority  uint16        `json:"priority"`
	Src       IntentEnds    `json:"src,omitzero"`
	Dst       IntentEnds    `json:"dst,omitzero"`
	Hops      []IntentHop   `json:"hops,omitempty" doc:"As asked for, of kind path."`
	Selector  Selector      `json:"selector" doc:"With prerequisites filled in."`
	Wide      bool          `json:"wide,omitempty" doc:"Packets of others than those at its ingress are meant too, where its rules cannot tell them apart."`
	Protected bool          `json:"protected" doc:"Always false: protection is not served yet."`
	State     string        `json:"state" enum:"submitted,waiting,installing,installed,rerouting,degraded,failed,withdrawing"`
	Code      string        `json:"code,omitempty" doc:"Why it is waiting, degraded or failed, in a word."`
	Detail    string        `json:"detail,omitempty" doc:"The same, for people."`
	Retrying  bool          `json:"retrying,omitempty" doc:"It is tried again without anybody asking."`
	Since     time.Time     `json:"since" doc:"Of the state."`
	ETag      string        `json:"etag" doc:"Of the content; If-Match takes it."`
	Number    uint32        `json:"number" doc:"In the cookies of its rules."`
	Routes    []IntentRoute `json:"routes" nullable:"false" doc:"The rules that are wanted for it, leg by leg; none while no path is decided."`
	Traffic   *Traffic      `json:"traffic,omitempty" doc:"With ?traffic=true."`
}

// TextOf returns the place of a field of the content whose form is Text or Enum; nil: there is none.
// NumberOf and FlagOf are the same for their forms.
func (in *Intent) TextOf(f schema.Field) *string {
	switch f {
	case schema.ID:
		return &in.ID
	case schema.Kind:
		return &in.Kind
	}
	return nil
}

// NumberOf returns the place of a field whose form is Number.
func (in *Intent) NumberOf(f schema.Field) *uint16 {
	if f == schema.Priority {
		return &in.Priority
	}
	return nil
}

// FlagOf returns the place of a field whose form is Flag.
func (in *Intent) FlagOf(f schema.Field) *bool {
	if f == schema.Wide {
		return &in.Wide
	}
	return nil
}

// IntentRoute is the way of some packets of an intent.
type IntentRoute struct {
	Match map[string]string `json:"match" nullable:"false"`
	Hops  []RouteHop        `json:"hops" nullable:"false" doc:"Ingress first; of an intent with several ends, a tree."`
}

// RouteHop is a switch on a route.
type RouteHop struct {
	DPID string   `json:"dpid"`
	In   uint32   `json:"in"`
	Out  []uint32 `json:"out" nullable:"false"`
}

// Traffic is what an intent has carried, as its rules count it where its packets come in. It never
// goes back while the instance lives and the intent is among the 16,384 that were asked for last:
// what a rule counted goes on where the path changes, or the switch begins anew. What it counted
// after it was last asked and before it went is missing then.
type Traffic struct {
	Packets     Hex64    `json:"packets" doc:"Never goes back while the instance lives and the intent is among those asked for lately. What a rule counted after it was last asked, before it went or began anew, is missing." pattern:"^0x[0-9a-f]+$"`
	Bytes       Hex64    `json:"bytes" pattern:"^0x[0-9a-f]+$"`
	PacketsRate *float64 `json:"packets_rate" doc:"Packets a second since it was last asked, a second ago or more; null the first time, and where a rule began anew meanwhile."`
	BytesRate   *float64 `json:"bytes_rate" doc:"Bytes a second."`
	Entries     int      `json:"entries" doc:"Flow entries that were found at the ingress switches."`
	Missing     string   `json:"missing,omitempty" doc:"What could not be asked: the counts are without it."`
}
