package flowsync

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// model is a naive switch: a map. It takes messages as bytes and answers as bytes.
type model struct {
	version  openflow.Version
	tables   uint8
	entries  map[entryKey]*openflow.FlowStats
	meters   map[uint32]*openflow.MeterConfig
	groups   map[uint32]*openflow.GroupDesc
	room     int                           // for meters, and for groups, above 2²⁰; 0 for no limit
	gone     []*openflow.FlowRemoved       // to be told
	capacity int                           // entries; 0 for no limit
	refuse   map[uint16]openflow.ErrorCode // by priority
	meterous bool                          // has meters
	writes   int                           // flow-mods and meter-mods taken
	monitor  flowMonitor
	forgets  map[uint16]bool // priorities of which it confirms entries and does not keep them
	now      func() time.Time
	sent     time.Time                 // when the message that it does was
	born     map[entryKey]time.Time    // when entries were added
	stores   func(*openflow.FlowStats) // what is added; nil: nobody wants to know
}

// badRate is one that the model's meters do not have.
const badRate = 666

func newModel(version openflow.Version, tables uint8) *model {
	return &model{
		version: version, tables: tables, meterous: version == openflow.V13,
		entries: map[entryKey]*openflow.FlowStats{}, meters: map[uint32]*openflow.MeterConfig{},
		groups: map[uint32]*openflow.GroupDesc{},
		refuse: map[uint16]openflow.ErrorCode{}, forgets: map[uint16]bool{}, born: map[entryKey]time.Time{},
		now: func() time.Time { return time.Unix(0, 0) },
	}
}

// put makes the switch hold an entry, whatever it thinks of it.
func (m *model) put(r *netview.Rule) {
	m.store(&openflow.FlowMod{Cookie: r.Cookie, Table: r.Table, Priority: r.Priority, Flags: openflow.FlagSendFlowRemoved,
		Match: r.Match.Canonical(), Instructions: r.Instructions})
}

func (m *model) store(mod *openflow.FlowMod) {
	key, event := entryKey{mod.Table, mod.Priority, mod.Match.Key()}, openflow.FlowAdded
	if m.entries[key] != nil {
		event = openflow.FlowModified
	}
	m.entries[key] = &openflow.FlowStats{
		Table: mod.Table, Priority: mod.Priority, Cookie: mod.Cookie, Flags: mod.Flags,
		Match: mod.Match.Clone(), Instructions: cloneInstructions(mod.Instructions),
		IdleTimeout: mod.IdleTimeout, HardTimeout: mod.HardTimeout,
	}
	m.born[key] = m.now()
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
	case *openflow.GroupMod:
		m.writes++
		return m.group(mod), nil
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
	for _, id := range groupsOf(mod.Instructions) {
		if m.groups[id] == nil {
			return openflow.BadActionBadOutGroup
		}
	}
	if m.entries[key] == nil && m.capacity > 0 && len(m.entries) >= m.capacity {
		return openflow.FlowModFailedTableFull
	}
	if !m.forgets[mod.Priority] {
		m.store(mod)
	}
	if m.stores != nil {
		m.stores(m.entries[key])
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
		m.removeUsers(func(e *openflow.FlowStats) bool { return meterOf(e.Instructions) == mod.Meter })
		return 0
	case mod.Command == openflow.MeterAdd && held:
		return openflow.MeterModFailedMeterExists
	case mod.Command == openflow.MeterAdd && m.room > 0 && mod.Meter > 1000 && len(m.meters) >= m.room:
		return openflow.MeterModFailedOutOfMeters
	case mod.Command == openflow.MeterModify && !held:
		return openflow.MeterModFailedUnknownMeter
	}
	m.meters[mod.Meter] = &openflow.MeterConfig{Flags: mod.Flags, Meter: mod.Meter, Bands: slices.Clone(mod.Bands)}
	return 0
}

// group does a group-mod. Who deletes a group that rules or groups use takes the rules along.
func (m *model) group(mod *openflow.GroupMod) openflow.ErrorCode {
	held := m.groups[mod.Group] != nil
	used := map[uint32]bool{}
	for _, g := range m.groups {
		for _, id := range groupsOf(bucketsAsInstructions(g.Buckets)) {
			used[id] = true
		}
	}
	switch {
	case mod.Command == openflow.GroupDelete && used[mod.Group]:
		return openflow.GroupModFailedChainedGroup
	case mod.Command == openflow.GroupDelete:
		delete(m.groups, mod.Group)
		m.removeUsers(func(e *openflow.FlowStats) bool { return slices.Contains(groupsOf(e.Instructions), mod.Group) })
		return 0
	case mod.Command == openflow.GroupAdd && held:
		return openflow.GroupModFailedGroupExists
	case mod.Command == openflow.GroupModify && !held:
		return openflow.GroupModFailedUnknownGroup
	case mod.Command == openflow.GroupAdd && m.room > 0 && len(m.groups) >= m.room:
		return openflow.GroupModFailedOutOfGroups
	}
	for _, id := range groupsOf(bucketsAsInstructions(mod.Buckets)) {
		if m.groups[id] == nil {
			return openflow.BadActionBadOutGroup
		}
	}
	m.groups[mod.Group] = &openflow.GroupDesc{Kind: mod.Kind, Group: mod.Group, Buckets: slices.Clone(mod.Buckets)}
	return 0
}

func bucketsAsInstructions(buckets []openflow.Bucket) (list []openflow.Instruction) {
	for i := range buckets {
		list = append(list, openflow.Apply(buckets[i].Actions...))
	}
	return list
}

// groupsOf returns the groups that instructions send to.
func groupsOf(instructions []openflow.Instruction) (groups []uint32) {
	for i := range instructions {
		for _, a := range instructions[i].Actions {
			if a.Type == openflow.ActionGroup {
				groups = append(groups, a.ID)
			}
		}
	}
	return groups
}

// removeUsers removes entries whose group or meter is deleted. The switch does it by itself, and tells in full.
func (m *model) removeUsers(uses func(*openflow.FlowStats) bool) {
	for _, key := range m.keys() {
		e := m.entries[key]
		if !uses(e) {
			continue
		}
		delete(m.entries, key)
		m.monitor.own = 0
		m.report(openflow.FlowDeleted, e)
		if e.Flags&openflow.FlagSendFlowRemoved != 0 {
			m.gone = append(m.gone, &openflow.FlowRemoved{Cookie: e.Cookie, Priority: e.Priority, Table: e.Table, Match: e.Match,
				Reason: openflow.RemovedGroup})
		}
	}
}

// multipart answers a request, through bytes.
func (m *model) multipart(request openflow.RequestBody) (openflow.ReplyBody, error) {
	var body openflow.ReplyBody
	switch r := request.(type) {
	case *openflow.FlowRequest:
		list := &openflow.FlowStatsList{}
		for _, key := range m.keys() {
			if e := m.entries[key]; e.Cookie&r.CookieMask == r.Cookie&r.CookieMask {
				age := m.now().Sub(m.born[key])
				e.DurationSec, e.DurationNsec = uint32(age/time.Second), uint32(age%time.Second)
				list.Flows = append(list.Flows, *e)
			}
		}
		body = list
	case *openflow.FlowMonitorRequest:
		if !m.monitor.offered {
			return nil, errors.New("OFPET_BAD_REQUEST OFPBRC_BAD_EXPERIMENTER")
		}
		body = &openflow.FlowUpdateList{}
	case *openflow.GroupDescRequest:
		if m.version == openflow.V10 {
			return nil, ErrNoAnswer
		}
		list := &openflow.GroupDescList{}
		for _, id := range slices.Sorted(maps.Keys(m.groups)) {
			list.Groups = append(list.Groups, *m.groups[id])
		}
		body = list
	case *openflow.GroupFeaturesRequest, *openflow.MeterFeaturesRequest:
		return nil, ErrNoAnswer
	case *openflow.MeterConfigRequest:
		if !m.meterous {
			return nil, ErrNoAnswer
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
		fmt.Fprintf(&s, "table=%d priority=%d cookie=0x%016x match=%s%s", e.Table, e.Priority, e.Cookie, e.Match.String(),
			timesText(e.IdleTimeout, e.HardTimeout))
		for i := range e.Instructions {
			s.WriteString(" " + e.Instructions[i].String())
		}
		s.WriteByte('\n')
	}
	for _, id := range slices.Sorted(maps.Keys(m.groups)) {
		fmt.Fprintf(&s, "group=%d %s %v\n", id, m.groups[id].Kind, bucketsAsInstructions(m.groups[id].Buckets))
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

// numbers is what the numbers of groups and meters by content mean at the switch.
func (m *model) numbers() *object.Numbers {
	var groups []openflow.GroupDesc
	var meters []openflow.MeterConfig
	for _, id := range slices.Sorted(maps.Keys(m.groups)) {
		groups = append(groups, *m.groups[id])
	}
	for _, id := range slices.Sorted(maps.Keys(m.meters)) {
		if id >= 1<<20 {
			meters = append(meters, *m.meters[id])
		}
	}
	n := &object.Numbers{}
	n.Groups, _ = object.ReadGroups(groups)
	n.Meters, _ = object.ReadMeters(meters)
	return n
}
