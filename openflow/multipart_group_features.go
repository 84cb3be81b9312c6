package openflow

// GroupFeatures is the answer to a GroupFeaturesRequest. The arrays are indexed by the type of the
// group. OpenFlow 1.3.
type GroupFeatures struct {
	Types        uint32 // bits 1<<GroupType
	Capabilities uint32
	MaxGroups    [4]uint32
	Actions      [4]uint32 // bits 1<<ActionType
}

// Bits of GroupFeatures.Capabilities (enum ofp_group_capabilities).
const (
	GroupCapabilitySelectWeight   uint32 = 1 << 0
	GroupCapabilitySelectLiveness uint32 = 1 << 1
	GroupCapabilityChaining       uint32 = 1 << 2
	GroupCapabilityChainingChecks uint32 = 1 << 3
)

var groupCapabilityNames = []flagName{
	{GroupCapabilitySelectWeight, "select_weight"}, {GroupCapabilitySelectLiveness, "select_liveness"},
	{GroupCapabilityChaining, "chaining"}, {GroupCapabilityChainingChecks, "chaining_checks"},
}

var groupTypeBits = []flagName{{1 << 0, "all"}, {1 << 1, "select"}, {1 << 2, "indirect"}, {1 << 3, "ff"}}

// Kind is MultipartGroupFeatures.
func (*GroupFeatures) Kind() MultipartType { return MultipartGroupFeatures }

func (*GroupFeatures) isReply() {}

func (f *GroupFeatures) parse(_ Version, body []byte) error {
	f.Types, f.Capabilities = be32(body), be32(body[4:])
	for i := range 4 {
		f.MaxGroups[i], f.Actions[i] = be32(body[8+4*i:]), be32(body[24+4*i:])
	}
	return nil
}

func (f *GroupFeatures) append(b []byte, _ Version) ([]byte, error) {
	b = append32(append32(b, f.Types), f.Capabilities)
	for _, n := range f.MaxGroups {
		b = append32(b, n)
	}
	for _, actions := range f.Actions {
		b = append32(b, actions)
	}
	return b, nil
}

func (f *GroupFeatures) appendText(b []byte, _ Version) []byte {
	b = appendFlags(appendKey(b, ' ', "types"), f.Types, groupTypeBits)
	b = appendFlags(appendKey(b, ' ', "capabilities"), f.Capabilities, groupCapabilityNames)
	b = append(appendKey(b, ' ', "max_groups"), '[')
	for _, n := range f.MaxGroups {
		b = appendDec(appendSep(b), n)
	}
	b = append(appendKey(append(b, ']'), ' ', "actions"), '[')
	for _, actions := range f.Actions {
		b = appendActionBits(appendSep(b), actions)
	}
	return append(b, ']')
}

// appendActionBits appends the names of the actions whose bit, 1<<ActionType, is set, with |
// between them.
func appendActionBits(b []byte, bits uint32) []byte {
	var names []flagName
	for t := range ActionType(32) {
		if name, ok := actionNames[t]; ok {
			names = append(names, flagName{1 << t, name})
		}
	}
	return appendFlags(b, bits, names)
}
