package openflow

// GroupModCommand is what a group-mod does (enum ofp_group_mod_command).
type GroupModCommand uint16

// The commands of a group-mod.
const (
	GroupAdd GroupModCommand = iota
	GroupModify
	GroupDelete
)

// GroupType is how a group chooses among its buckets (enum ofp_group_type).
type GroupType uint8

// The types of groups.
const (
	GroupTypeAll GroupType = iota
	GroupTypeSelect
	GroupTypeIndirect
	GroupTypeFastFailover
)

var (
	groupCommandNames = []string{"add", "modify", "delete"}
	groupTypeNames    = []string{"all", "select", "indirect", "ff"}
)

// String is the command in text: "add".
func (c GroupModCommand) String() string { return string(nameOr(nil, groupCommandNames, c)) }

// String is the type in text: "select".
func (t GroupType) String() string { return string(nameOr(nil, groupTypeNames, t)) }

// GroupMod adds, changes or deletes a group. OpenFlow 1.3.
type GroupMod struct {
	Command GroupModCommand
	Kind    GroupType
	Group   uint32 // GroupAll in a deletion: all of them
	Buckets []Bucket

	arena arena
}

// Type is TypeGroupMod.
func (*GroupMod) Type() Type { return TypeGroupMod }

// Parse reads the body of a group-mod.
func (g *GroupMod) Parse(v Version, b []byte) error {
	g.arena.reset()
	if v == V10 || len(b) < 8 {
		return refuse(BadRequestBadLen, "group_mod with a body of %d bytes", len(b))
	}
	g.Command, g.Kind, g.Group = GroupModCommand(be16(b)), GroupType(b[2]), be32(b[4:])
	if g.Command > GroupDelete {
		return refuse(GroupModFailedBadCommand, "group_mod with command %d", g.Command)
	}
	if g.Kind > GroupTypeFastFailover {
		return refuse(GroupModFailedBadType, "group_mod with type %d", g.Kind)
	}
	var err error
	g.Buckets, err = parseBuckets(v, b[8:], g.Buckets[:0], &g.arena)
	return err
}

// Append appends the body.
func (g *GroupMod) Append(b []byte, v Version) ([]byte, error) {
	if v == V10 {
		return b, inexpressible(v, "group_mod")
	}
	b = append32(append(append16(b, uint16(g.Command)), uint8(g.Kind), 0), g.Group)
	return appendBuckets(b, v, g.Buckets)
}

// AppendText appends the body as text.
func (g *GroupMod) AppendText(b []byte, v Version) []byte {
	b = append(appendKey(b, ' ', "command"), g.Command.String()...)
	b = append(appendKey(b, ' ', "type"), g.Kind.String()...)
	b = appendGroup(appendKey(b, ' ', "group"), g.Group)
	return appendListText(appendKey(b, ' ', "buckets"), v, g.Buckets, (*Bucket).appendText)
}
