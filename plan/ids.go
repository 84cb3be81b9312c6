package plan

// Groups and meters have no cookie: their numbers say whose they are.
const (
	MeterCopy uint32 = 1 // the copy of table 2

	MeterInfrastructureFirst uint32 = 2
	MeterInfrastructureLast  uint32 = 999
	MeterProtectionFirst     uint32 = 1000 // one per port: 1000 + port
	MeterProtectionLast      uint32 = 65535
	MeterIntentFirst         uint32 = 1 << 20 // intents and tenants

	GroupInfrastructureFirst uint32 = 1
	GroupInfrastructureLast  uint32 = 999
	GroupIntentFirst         uint32 = 1 << 20 // intents (protection) and tenants
)

// The largest ids of OpenFlow 1.3 (OFPM_MAX, OFPG_MAX), and how many below them are left to others.
const (
	meterMax  uint32 = 0xffff0000
	groupMax  uint32 = 0xffffff00
	leftAlone uint32 = 1 << 24

	MeterIntentLast = meterMax - leftAlone
	GroupIntentLast = groupMax - leftAlone
)

// MeterOfPort is the meter that protects against floods from a port; false if the port's number is
// too large to have one.
func MeterOfPort(port uint32) (uint32, bool) {
	if port > MeterProtectionLast-MeterProtectionFirst {
		return 0, false
	}
	return MeterProtectionFirst + port, true
}

// OurMeter reports whether a meter's id is one that Weir may use.
func OurMeter(id uint32) bool {
	return id >= MeterCopy && id <= MeterProtectionLast || id >= MeterIntentFirst && id <= MeterIntentLast
}

// OurGroup reports whether a group's id is one that Weir may use.
func OurGroup(id uint32) bool {
	return id >= GroupInfrastructureFirst && id <= GroupInfrastructureLast || id >= GroupIntentFirst && id <= GroupIntentLast
}
