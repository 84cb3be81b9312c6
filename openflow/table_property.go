package openflow

// TablePropertyType is the type of a property of a flow table (enum ofp_table_feature_prop_type).
// The odd ones, called …Miss, are for the table-miss flow entry; where one is missing, the even one
// counts for it too.
type TablePropertyType uint16

// The properties of flow tables.
const (
	TableInstructions      TablePropertyType = 0
	TableInstructionsMiss  TablePropertyType = 1
	TableNextTables        TablePropertyType = 2
	TableNextTablesMiss    TablePropertyType = 3
	TableWriteActions      TablePropertyType = 4
	TableWriteActionsMiss  TablePropertyType = 5
	TableApplyActions      TablePropertyType = 6
	TableApplyActionsMiss  TablePropertyType = 7
	TableMatch             TablePropertyType = 8
	TableWildcards         TablePropertyType = 10
	TableWriteSetField     TablePropertyType = 12
	TableWriteSetFieldMiss TablePropertyType = 13
	TableApplySetField     TablePropertyType = 14
	TableApplySetFieldMiss TablePropertyType = 15
	TableExperimenter      TablePropertyType = 0xfffe
	TableExperimenterMiss  TablePropertyType = 0xffff
)

// TableProperty is one property of a flow table. Which fields count depends on Type.
type TableProperty struct {
	Type TablePropertyType
	// IDs are the types of instructions or actions.
	IDs []TypeID
	// Tables of TableNextTables.
	Tables []byte
	// Fields that can be matched, wildcarded or set.
	Fields []FieldID
	// Experimenter, ExpType and Data of TableExperimenter.
	Experimenter uint32
	ExpType      uint32
	Data         []byte
}

// TypeID names an InstructionType or ActionType. Data is what follows the four bytes of type and
// length: nothing, or, for the type 0xffff, the experimenter's id and what it likes.
type TypeID struct {
	Type uint16
	Data []byte
}

// FieldID names a field by the header of its TLV: class, field, whether a mask is possible, length.
type FieldID struct {
	OXM          uint32
	Experimenter uint32 // of class OFPXMC_EXPERIMENTER
}

// FieldIDOf is the FieldID of a field of OpenFlow 1.3.
func FieldIDOf(f Field, mask bool) FieldID {
	header := oxmClassBasic<<16 | uint32(f)<<9 | uint32(oxmFields[f].size)
	if mask {
		header += oxmHasMask | uint32(oxmFields[f].size)
	}
	return FieldID{OXM: header}
}

// tablePropertyForm is what stands in a property.
type tablePropertyForm uint8

const (
	propertyUnknown tablePropertyForm = iota
	propertyIDs
	propertyTables
	propertyFields
	propertyExperimenter
)

func (t TablePropertyType) form() tablePropertyForm {
	switch t {
	case TableInstructions, TableInstructionsMiss, TableWriteActions, TableWriteActionsMiss, TableApplyActions,
		TableApplyActionsMiss:
		return propertyIDs
	case TableNextTables, TableNextTablesMiss:
		return propertyTables
	case TableMatch, TableWildcards, TableWriteSetField, TableWriteSetFieldMiss, TableApplySetField,
		TableApplySetFieldMiss:
		return propertyFields
	case TableExperimenter, TableExperimenterMiss:
		return propertyExperimenter
	}
	return propertyUnknown
}
