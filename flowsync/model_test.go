package flowsync

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// model is a naive switch: a map. It takes messages as bytes and answers as bytes.
type model struct {
	version  openflow.Version
	tables   uint8
	entries  map[entryKey]*openflow.FlowStats
	meters   map[uint32]*openflow.MeterConfig
	capacity int                           // entries; 0 for no limit
	refuse   map[uint16]openflow.ErrorCode // by priority
	meterous bool                          // has meters
	writes   int                           // flow-mods and meter-mods taken
	monitor  flowMonitor
	forgets  map[uint16]bool // priorities of which it confirms entries and does not keep them
}

// badRate is one that the model's meters do not have.
const badRate = 666

func newModel(version openflow.Version, tables uint8) *model {
	return &model{
		version: version, tables: tables, meterous: version == openflow.V13,
		entries: map[entryKey]*openflow.FlowStats{}, meters: map[uint32]*openflow.MeterConfig{},
		refuse: map[uint16]openflow.ErrorCode{}, forgets: map[uint16]bool{},
	}
}

// put makes the switch hold an entry, whatever it thinks of it.
func (m *model) put(r *netview.Rule) {
	m.store(addition(keyOf(r), r, r.Instructions))
}

func (m *model) store(mod *openflow.FlowMod) {
	key, event := entryKey{mod.Table, mod.Priority, mod.Match.Key()}, openflow.FlowAdded
	if m.entries[key] != nil {
		event = openflow.FlowModified
	}
	m.entries[key] = &openflow.FlowStats{
		Table: mod.Table, Priority: mod.Priority, Cookie: mod.Cookie, Flags: mod.Flags,
		Match: mod.Match.Clone(), Instructions: cloneInstructions(mod.Instructions),
	}
	m.report(event, m.entries[key])
}

// take does one message. What it returns is the error, if it is refused, and the entry that went,
// if its going is told.
func (m *model) take(message openflow.Message) (openflow.ErrorCode, *openflow.FlowRemoved) {
	switch mod := message.(type) {
	case *openflow.FlowMod:
		m.writes++
		if mod.Command == openflow.FlowDeleteStrict {
			return 0, m.remove(mod)
		}
		return m.add(mod), nil
	case *openflow.MeterMod:
		m.writes++
		return m.meter(mod), nil
	}
	panic(fmt.Sprintf("the model does not know %T", message))
}

func (m *model) add(mod *openflow.FlowMod) openflow.ErrorCode {
	key := entryKey{mod.Table, mod.Priority, mod.Match.Key()}
	if mod.Command != openflow.FlowAdd {
		panic("only ADD changes cookies")
	}
	if code := m.refuse[mod.Priority]; code != 0 {
		return code
	}
	if id := meterOf(mod.Instructions); id != 0 && m.meters[id] == nil {
		return openflow.MeterModFailedInvalidMeter
	}
	if m.entries[key] == nil && m.capacity > 0 && len(m.entries) >= m.capacity {
		return openflow.FlowModFailedTableFull
	}
	if !m.forgets[mod.Priority] {
		m.store(mod)
	}
	return 0
}

func (m *model) remove(mod *openflow.FlowMod) *openflow.FlowRemoved {
	key := entryKey{mod.Table, mod.Priority, mod.Match.Key()}
	e := m.entries[key]
	if e == nil || e.Cookie&mod.CookieMask != mod.Cookie&mod.CookieMask {
		return nil
	}
	delete(m.entries, key)
	m.report(openflow.FlowDeleted, e)
	if e.Flags&openflow.FlagSendFlowRemoved == 0 {
		return nil
	}
	return &openflow.FlowRemoved{
		Cookie: e.Cookie, Priority: e.Priority, Table: e.Table, Match: e.Match, Reason: openflow.RemovedDelete,
	}
}

func (m *model) meter(mod *openflow.MeterMod) openflow.ErrorCode {
	held := m.meters[mod.Meter] != nil
	switch {
	case !m.meterous:
		return openflow.MeterModFailedOutOfMeters
	case mod.Command != openflow.MeterDelete && mod.Bands[0].Rate == badRate:
		return openflow.MeterModFailedBadRate
	case mod.Command == openflow.MeterDelete:
		delete(m.meters, mod.Meter)
		for _, key := range m.keys() {
			if e := m.entries[key]; meterOf(e.Instructions) == mod.Meter {
				delete(m.entries, key)
				m.monitor.own = 0 // the switch does it by itself, and tells in full
				m.report(openflow.FlowDeleted, e)
			}
		}
		return 0
	case mod.Command == openflow.MeterAdd && held:
		return openflow.MeterModFailedMeterExists
	case mod.Command == openflow.MeterModify && !held:
		return openflow.MeterModFailedUnknownMeter
	}
	m.meters[mod.Meter] = &openflow.MeterConfig{Flags: mod.Flags, Meter: mod.Meter, Bands: slices.Clone(mod.Bands)}
	return 0
}

// multipart answers a request, through bytes.
func (m *model) multipart(request openflow.RequestBody) (openflow.ReplyBody, error) {
	var body openflow.ReplyBody
	switch r := request.(type) {
	case *openflow.FlowRequest:
		list := &openflow.FlowStatsList{}
		for _, key := range m.keys() {
			if e := m.entries[key]; e.Cookie&r.CookieMask == r.Cookie&r.CookieMask {
				list.Flows = append(list.Flows, *e)
			}
		}
		body = list
	case *openflow.FlowMonitorRequest:
		if !m.monitor.offered {
			return nil, errors.New("OFPET_BAD_REQUEST OFPBRC_BAD_EXPERIMENTER")
		}
		body = &openflow.FlowUpdateList{}
	case *openflow.MeterConfigRequest:
		if !m.meterous {
			return nil, errors.New("OFPET_BAD_REQUEST OFPBRC_BAD_MULTIPART")
		}
		list := &openflow.MeterConfigList{}
		for _, id := range slices.Sorted(maps.Keys(m.meters)) {
			list.Meters = append(list.Meters, *m.meters[id])
		}
		body = list
	}
	bytes, err := (&openflow.MultipartReply{Body: body}).Append(nil, m.version)
	if err != nil {
		return nil, err
	}
	var reply openflow.MultipartReply
	err = reply.Parse(m.version, bytes)
	return reply.Body, err
}

func (m *model) keys() []entryKey { return slices.SortedFunc(maps.Keys(m.entries), entryKey.compare) }

// String is the switch's table and meters.
func (m *model) String() string {
	var s strings.Builder
	for _, key := range m.keys() {
		e := m.entries[key]
		fmt.Fprintf(&s, "table=%d priority=%d cookie=0x%016x match=%s", e.Table, e.Priority, e.Cookie, e.Match.String())
		for i := range e.Instructions {
			s.WriteString(" " + e.Instructions[i].String())
		}
		s.WriteByte('\n')
	}
	for _, id := range slices.Sorted(maps.Keys(m.meters)) {
		fmt.Fprintf(&s, "meter=%d rate=%d burst=%d\n", id, m.meters[id].Bands[0].Rate, m.meters[id].Bands[0].Burst)
	}
	return s.String()
}

// forget loses the entries of a priority, and tells nobody but its flow monitor.
func (m *model) forget(priority uint16) {
	for _, key := range m.keys() {
		if e := m.entries[key]; e.Priority == priority {
			delete(m.entries, key)
			m.report(openflow.FlowDeleted, e)
		}
	}
}

// modify has somebody change what the entries of a priority do. Their cookies stay.
func (m *model) modify(priority uint16, port uint32) {
	for _, key := range m.keys() {
		if e := m.entries[key]; e.Priority == priority {
			e.Instructions = []openflow.Instruction{openflow.Apply(openflow.Output(port))}
			m.report(openflow.FlowModified, e)
		}
	}
}
