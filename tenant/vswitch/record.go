package vswitch

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// The first byte of a record says what it is of, and in which format.
const (
	recordHead      = 1 // a virtual switch: JSON
	recordEntry     = 2
	recordUncounted = 3 // a group or a meter, without what it has counted: of an older version of Weir, and only read
	recordObject    = 4 // a group or a meter
)

// errRecord: a record is damaged, or another version has written it.
var errRecord = errors.New("a record is damaged, or another version of Weir has written it")

// head is the record of a virtual switch.
type head struct {
	record
	settled bool
}

// headRecord is a head in the journal.
type headRecord struct {
	ID      string       `json:"id"` // of the tenant
	DPID    netview.DPID `json:"dpid"`
	Version uint8        `json:"version"` // that the physical switch speaks
	Single  bool         `json:"single,omitempty"`
	Tables  uint8        `json:"tables"`
	Labels  int          `json:"labels,omitempty"` // how many each of its blocks has
	Ports   []uint32     `json:"ports"`
	// Reactive: the physical switch had no rules of the entries.
	Reactive bool `json:"reactive,omitempty"`
	Settled  bool `json:"settled"` // what follows is in the journal as controllers were told that it is
}

// appendRecord implements recorded.
func (h *head) appendRecord(b []byte, s *Switch) ([]byte, bool) {
	if h.freed {
		return b, false
	}
	text, err := json.Marshal(&headRecord{ID: s.cfg.ID, DPID: s.cfg.DPID, Version: uint8(s.cfg.Version), Single: s.cfg.Single,
		Tables: s.cfg.Tables, Labels: s.single.labels.size, Ports: slices.Sorted(maps.Keys(s.ports)), Settled: h.settled,
		Reactive: s.micro.reactive})
	if err != nil {
		panic(err) // strings and numbers
	}
	return append(append(b, recordHead), text...), true
}

// appendRecord implements recorded.
func (o *madeObject) appendRecord(b []byte, s *Switch) ([]byte, bool) {
	if o.gone {
		return b, false
	}
	b = binary.AppendUvarint(append(b, recordObject), uint64(s.unsaved.head.number))
	c := &o.count.carried
	for _, x := range []uint64{uint64(o.incarnation), uint64(s.cfg.Epoch.Add(o.created).UnixNano()), c.Packets, c.Bytes,
		uint64(len(c.Parts))} {
		b = binary.AppendUvarint(b, x)
	}
	for _, p := range c.Parts {
		b = binary.AppendUvarint(binary.AppendUvarint(b, p.Packets), p.Bytes)
	}
	b, err := openflow.Append(b, openflow.V13, 0, o.message)
	if err != nil {
		panic(err) // it has come as a message
	}
	return b, true
}

// appendRecord implements recorded: a row's entry. It is a flow-mod that makes it, of OpenFlow 1.3, as all matches are in it;
// actions of OpenFlow 1.0 are in a second one.
func (r *row) appendRecord(b []byte, s *Switch) ([]byte, bool) {
	if !r.entry {
		return b, false
	}
	t := &r.told
	label := 0
	if s.cfg.Single && !s.micro.reactive {
		label = 1 + s.single.labels.at(t.priority)
	}
	b = binary.AppendUvarint(append(b, recordEntry), uint64(s.unsaved.head.number))
	for _, x := range []uint64{uint64(r.incarnation), r.age, uint64(s.cfg.Epoch.Add(r.created).UnixNano()),
		uint64(s.cfg.Epoch.Add(r.born).UnixNano()), uint64(label), r.count.carried.Packets, r.count.carried.Bytes} {
		b = binary.AppendUvarint(b, x)
	}
	m := openflow.FlowMod{Cookie: t.cookie, Table: t.table, IdleTimeout: t.idle, HardTimeout: t.hard, Priority: t.priority,
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Flags: t.flags &^ openflow.FlagCheckOverlap, Match: t.match}
	if !t.v10 {
		m.Instructions = t.instructions
		return appendMessage(b, openflow.V13, &m), true
	}
	b = appendMessage(b, openflow.V13, &m)
	return appendMessage(b, openflow.V10, &openflow.FlowMod{Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny, Instructions: t.instructions}), true
}

func appendMessage(b []byte, v openflow.Version, m openflow.Message) []byte {
	b, err := openflow.Append(b, v, 0, m)
	if err != nil {
		panic(err) // it has come as such a message
	}
	return b
}

// savedEntry is an entry as a record has it.
type savedEntry struct {
	number        uint32
	incarnation   uint16
	age           uint64
	created, born time.Time
	label         int // plus 1; 0: it has none
	carried       ruleset.Counts
	v10           bool
	flow          *openflow.FlowMod
}

// savedObject is a group or a meter as a record has it.
type savedObject struct {
	number      uint32
	incarnation uint16
	created     time.Time // zero: not known
	carried     flowtable.ObjectCounts
	message     openflow.Message
}

// headOf returns what a record is of, the number of its head, and the rest.
func headOf(data []byte) (kind byte, head uint32, rest []byte, err error) {
	if len(data) == 0 {
		return 0, 0, nil, errRecord
	}
	if kind = data[0]; kind == recordHead {
		return kind, 0, data[1:], nil
	}
	n, size := binary.Uvarint(data[1:])
	if size <= 0 || n > 1<<32-1 || kind < recordEntry || kind > recordObject {
		return kind, 0, nil, errRecord
	}
	return kind, uint32(n), data[1+size:], nil
}

// readHead reads the record of a virtual switch.
func readHead(data []byte) (*headRecord, error) {
	h := new(headRecord)
	if err := json.Unmarshal(data, h); err != nil {
		return nil, fmt.Errorf("%w: %w", errRecord, err)
	}
	return h, nil
}

// readEntry reads an entry. It holds no part of data.
func readEntry(number uint32, data []byte) (*savedEntry, error) {
	var x [7]uint64
	data, err := readNumbers(data, x[:])
	if err != nil {
		return nil, err
	}
	e := &savedEntry{number: number, incarnation: uint16(x[0]), age: x[1], created: time.Unix(0, int64(x[2])),
		born: time.Unix(0, int64(x[3])), label: int(x[4]), carried: ruleset.Counts{Packets: x[5], Bytes: x[6]}}
	m, _, rest, err := readMessage(slices.Clone(data))
	flow, is := m.(*openflow.FlowMod)
	if err != nil || !is || x[0] > 1<<16-1 || x[4] > 1<<16 {
		return nil, errRecord
	}
	if e.flow = flow; len(rest) > 0 {
		m, v, rest, err := readMessage(rest)
		actions, is := m.(*openflow.FlowMod)
		if err != nil || !is || v != openflow.V10 || len(rest) > 0 {
			return nil, errRecord
		}
		e.v10, flow.Instructions = true, actions.Instructions
	}
	return e, nil
}

// readObject reads a group or a meter. It holds no part of data.
func readObject(number uint32, data []byte) (*savedObject, error) {
	var x [5]uint64
	data, err := readNumbers(data, x[:])
	if err != nil || x[0] > 1<<16-1 || x[4] > uint64(len(data)) {
		return nil, errRecord
	}
	counts := make([]uint64, 2*x[4])
	if data, err = readNumbers(data, counts); err != nil {
		return nil, err
	}
	o, err := readUncounted(number, data)
	if err != nil {
		return nil, err
	}
	o.incarnation, o.created = uint16(x[0]), time.Unix(0, int64(x[1]))
	o.carried.Packets, o.carried.Bytes = x[2], x[3]
	for pair := range slices.Chunk(counts, 2) {
		o.carried.Parts = append(o.carried.Parts, openflow.BucketCounter{Packets: pair[0], Bytes: pair[1]})
	}
	return o, nil
}

// readUncounted reads a group or a meter of which only the message is there that makes it. It holds no part of data.
func readUncounted(number uint32, data []byte) (*savedObject, error) {
	m, _, rest, err := readMessage(slices.Clone(data))
	if err != nil || len(rest) > 0 || m.Type() != openflow.TypeGroupMod && m.Type() != openflow.TypeMeterMod {
		return nil, errRecord
	}
	return &savedObject{number: number, message: m}, nil
}

// readNumbers reads as many numbers as there is room for, and returns what follows.
func readNumbers(data []byte, to []uint64) (rest []byte, err error) {
	for i := range to {
		n, size := binary.Uvarint(data)
		if size <= 0 {
			return nil, errRecord
		}
		to[i], data = n, data[size:]
	}
	return data, nil
}

// readMessage reads a message, of which it holds a part, and returns what follows.
func readMessage(data []byte) (m openflow.Message, v openflow.Version, rest []byte, err error) {
	if len(data) < openflow.HeaderLen {
		return nil, 0, nil, errRecord
	}
	n := int(binary.BigEndian.Uint16(data[2:]))
	if n < openflow.HeaderLen || n > len(data) {
		return nil, 0, nil, errRecord
	}
	h, m, err := openflow.Parse(data[:n:n])
	return m, h.Version, data[n:], err
}

// place is appendPlace of what makes an entry.
func (e *savedEntry) place() string {
	return string(appendPlace(nil, &flowtable.Entry{Table: e.flow.Table, Priority: e.flow.Priority,
		Match: e.flow.Match.Canonical()}))
}
