package ofcase

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/weirnet/weir/openflow"
)

// Outcome is what a switch did in a step.
type Outcome struct {
	Version  openflow.Version
	Sent     []Sent
	Messages []openflow.Message // to the controller, in memory of their own
}

// Sent is a frame that left a port.
type Sent struct {
	Port  uint32
	Frame []byte
}

// Mask makes what two switches may do differently equal, in a step's outcome.
type Mask struct {
	// Name is that under which the specification lists it.
	Name string
	// Apply changes an outcome of the step.
	Apply func(Step, *Outcome)
}

// lines is the outcome in words, after the masks: frames by their port, in their order at each;
// packet-ins in their order; then all other messages, sorted, as no order among them is promised.
func (o *Outcome) lines(s Step, masks []Mask) []string {
	for _, m := range masks {
		m.Apply(s, o)
	}
	slices.SortStableFunc(o.Sent, func(a, b Sent) int { return int(int64(a.Port) - int64(b.Port)) })
	var lines, others []string
	for _, f := range o.Sent {
		lines = append(lines, fmt.Sprintf("port %s sends %x", openflow.PortText(f.Port), f.Frame))
	}
	for _, m := range o.Messages {
		if _, ok := m.(*openflow.PacketIn); ok {
			lines = append(lines, text(o.Version, m))
			continue
		}
		others = append(others, strings.Split(text(o.Version, m), "\n")...)
	}
	slices.Sort(others)
	return append(lines, others...)
}

// text is a message in words that do not depend on the order of what has none; lists have a line an
// item.
func text(v openflow.Version, m openflow.Message) string {
	switch m := m.(type) {
	case *openflow.ErrorMsg:
		return fmt.Sprintf("error %s", m.Code)
	case *openflow.FlowRemoved:
		c := *m
		c.Match = m.Match.Canonical()
		return string(c.AppendText([]byte("flow_removed"), v))
	case *openflow.PacketIn:
		return string(m.AppendText([]byte("packet_in"), v)) + fmt.Sprintf(" %x", m.Data)
	case *openflow.PortStatus:
		return string(m.AppendText([]byte("port_status"), v))
	case *openflow.MultipartReply:
		return reply(v, m.Body)
	}
	return string(m.AppendText([]byte(m.Type().String()), v))
}

// reply is the body of a multipart reply, an item a line.
func reply(v openflow.Version, body openflow.ReplyBody) string {
	if flows, ok := body.(*openflow.FlowStatsList); ok {
		body = canonical(flows)
	}
	items := split(body)
	lines := []string{fmt.Sprintf("reply %s of %d", body.Kind(), len(items))}
	for _, i := range items {
		m := openflow.MultipartReply{Body: i}
		lines = append(lines, string(m.AppendText([]byte("item"), v)))
	}
	return strings.Join(lines, "\n")
}

// canonical is a list with the matches and instructions of its entries in one order.
func canonical(list *openflow.FlowStatsList) *openflow.FlowStatsList {
	flows := slices.Clone(list.Flows)
	for i := range flows {
		f := &flows[i]
		f.Match = f.Match.Canonical()
		f.Instructions = slices.Clone(f.Instructions)
		slices.SortFunc(f.Instructions, func(x, y openflow.Instruction) int { return int(x.Type) - int(y.Type) })
	}
	return &openflow.FlowStatsList{Flows: flows}
}

// split makes a list of each item of a list: of a body that has one field, a slice. Another body
// stays as it is.
func split(body openflow.ReplyBody) (items []openflow.ReplyBody) {
	list := reflect.ValueOf(body).Elem()
	if list.NumField() != 1 || list.Field(0).Kind() != reflect.Slice {
		return []openflow.ReplyBody{body}
	}
	for i := range list.Field(0).Len() {
		one := reflect.New(list.Type())
		one.Elem().Field(0).Set(list.Field(0).Slice(i, i+1))
		items = append(items, one.Interface().(openflow.ReplyBody))
	}
	return items
}
