package plan

import "github.com/weirnet/weir/openflow"

// The tables of the form with several tables.
const (
	TableAdmission  uint8 = 0 // what must never be forwarded as data
	TableForwarding uint8 = 1 // everything that says where a packet goes
	TableCopy       uint8 = 2 // what the controller is to see of packets that are already forwarded
)

// The tables of tenants: a tenant's table i is TableTenantFirst + i.
const (
	TableTenantFirst uint8 = 3
	TableTenantLast  uint8 = 253
)

// MetadataTenant is the part of the metadata that says whose a packet is; the rest is the tenant's own.
const (
	metadataTenantShift        = 54
	MetadataTenant      uint64 = TenantMax << metadataTenantShift
)

// TenantMetadata returns the metadata of a tenant's packets, in the bits of MetadataTenant.
func TenantMetadata(tenant uint16) uint64 {
	return uint64(tenant) << metadataTenantShift & MetadataTenant
}

// TableSingle is the one table of the single-table form.
const TableSingle uint8 = 0

// tablesNeeded is how many tables the form with several tables needs.
const tablesNeeded = 3

// SingleTable reports whether a switch gets the single-table form: it speaks OpenFlow 1.0, or has
// fewer than three tables.
func SingleTable(version openflow.Version, tables uint8) bool {
	return version < openflow.V13 || tables < tablesNeeded
}

// ForwardingTable returns the table that says where a packet goes, in the single-table form or in the
// other.
func ForwardingTable(single bool) uint8 {
	if single {
		return TableSingle
	}
	return TableForwarding
}

// TagsAll reports whether a switch can tag any packet. OpenFlow 1.0 adds a VLAN tag only to packets that have none.
func TagsAll(version openflow.Version) bool { return version == 0 || version >= openflow.V13 }

// MissAsks reports whether a switch has to be told, by a table-miss entry, to send misses to the
// controller. OpenFlow 1.0 does so by itself.
func MissAsks(version openflow.Version) bool { return version >= openflow.V13 }
