package flowtable

import (
	"strconv"
	"time"

	"github.com/weirnet/weir/openflow"
)

// Features is the features reply of the switch in version v, but for the datapath id.
func (s *Switch) Features(v openflow.Version) openflow.FeaturesReply {
	const both = openflow.CapabilityFlowStats | openflow.CapabilityTableStats | openflow.CapabilityPortStats |
		openflow.CapabilityQueueStats
	r := openflow.FeaturesReply{Buffers: uint32(len(s.buffers.slots)), Tables: uint8(s.cfg.Tables)}
	if v != openflow.V10 {
		r.Capabilities = both | openflow.CapabilityGroupStats
		return r
	}
	r.Capabilities, r.Tables = both|openflow.CapabilityARPMatchIP, 1
	r.Actions = 1<<12 - 1 // OFPAT_OUTPUT to OFPAT_ENQUEUE
	r.Ports = s.portsIn(v)
	return r
}

// TableMod sets the configuration of a table: OpenFlow 1.3 has left nothing to set. The error is an
// *Error.
func (s *Switch) TableMod(_ openflow.Version, m *openflow.TableMod, _ time.Duration, _ Output) error {
	const deprecated = 3 // OFPTC_DEPRECATED_MASK: what OpenFlow 1.1 had
	switch {
	case int(m.Table) >= s.cfg.Tables && m.Table != openflow.TableAll:
		return refuse(openflow.TableModFailedBadTable, "table %d of %d", m.Table, s.cfg.Tables)
	case m.Config&^deprecated != 0:
		return refuse(openflow.TableModFailedBadConfig, "config 0x%x, which means nothing", m.Config)
	}
	return nil
}

func (s *Switch) tableName(id int) string {
	if id == 0 {
		return "classifier"
	}
	return "table" + strconv.Itoa(id)
}

// actionTypes are the actions that a Switch does in OpenFlow 1.3.
var actionTypes = []openflow.ActionType{
	openflow.ActionOutput, openflow.ActionCopyTTLOut, openflow.ActionCopyTTLIn, openflow.ActionSetMPLSTTL,
	openflow.ActionDecMPLSTTL,
	openflow.ActionPushVLAN, openflow.ActionPopVLAN, openflow.ActionPushMPLS, openflow.ActionPopMPLS, openflow.ActionSetQueue,
	openflow.ActionGroup, openflow.ActionSetNwTTL, openflow.ActionDecNwTTL, openflow.ActionSetField,
}

// tableFeatures answers a request for the features of tables, or one that sets them: that they
// cannot be is the error then.
func (s *Switch) tableFeatures(r *openflow.TableFeaturesList) (openflow.ReplyBody, error) {
	for i := range r.Tables {
		t := &r.Tables[i]
		if int(t.Table) >= s.cfg.Tables {
			return nil, refuse(openflow.TableFeaturesFailedBadTable, "table %d of %d", t.Table, s.cfg.Tables)
		}
	}
	if len(r.Tables) > 0 {
		return nil, refuse(openflow.TableFeaturesFailedEPerm, "the features of tables are fixed")
	}
	list := &openflow.TableFeaturesList{Tables: make([]openflow.TableFeatures, s.cfg.Tables)}
	shared := s.tableProperties()
	for i := range list.Tables {
		next := make([]byte, 0, s.cfg.Tables-i)
		for j := i + 1; j < s.cfg.Tables; j++ {
			next = append(next, uint8(j))
		}
		list.Tables[i] = openflow.TableFeatures{
			Table: uint8(i), Name: s.tableName(i), MetadataMatch: ^uint64(0), MetadataWrite: ^uint64(0),
			MaxEntries: uint32(s.cfg.MaxEntries),
			Properties: append([]openflow.TableProperty{
				{Type: openflow.TableInstructions, IDs: instructionIDs(len(next) > 0)},
				{Type: openflow.TableNextTables, Tables: next},
			}, shared...),
		}
	}
	return list, nil
}

// instructionIDs are the instructions of a table; the last one goes nowhere.
func instructionIDs(goes bool) []openflow.TypeID {
	var ids []openflow.TypeID
	for t := openflow.InstructionGotoTable; t <= openflow.InstructionMeter; t++ {
		if t != openflow.InstructionGotoTable || goes {
			ids = append(ids, openflow.TypeID{Type: uint16(t)})
		}
	}
	return ids
}

// tableProperties are the properties that all tables have in common. Properties of table-miss
// entries are left out, because they are the same.
func (s *Switch) tableProperties() []openflow.TableProperty {
	var actions []openflow.TypeID
	for _, t := range actionTypes {
		actions = append(actions, openflow.TypeID{Type: uint16(t)})
	}
	var match, wild, set []openflow.FieldID
	for i := range places {
		f := openflow.Field(i)
		if places[i].bits == 0 {
			continue
		}
		match = append(match, openflow.FieldIDOf(f, f.Maskable()))
		wild = append(wild, openflow.FieldIDOf(f, false))
		if settable(f) {
			set = append(set, openflow.FieldIDOf(f, false))
		}
	}
	return []openflow.TableProperty{
		{Type: openflow.TableWriteActions, IDs: actions},
		{Type: openflow.TableApplyActions, IDs: actions},
		{Type: openflow.TableMatch, Fields: match},
		{Type: openflow.TableWildcards, Fields: wild},
		{Type: openflow.TableWriteSetField, Fields: set},
		{Type: openflow.TableApplySetField, Fields: set},
	}
}
