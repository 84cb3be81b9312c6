package plan

// Groups and meters have no cookie: their numbers say whose they are.
const (
	MeterCopy uint32 = 1 // the copy of table 2

	MeterInfrastructureFirst uint32 = 2
	MeterInfrastructureLast  uint32 = 999
	MeterProtectionFirst     uint32 = 1000 // one per port: 1000 + port
	MeterProtectionLast      uint32 = 65535

	GroupInfrastructureFirst uint32 = 1
	GroupInfrastructureLast  uint32 = 999

	sharedShift = 20 // groups and meters that are known by content: the domain stands above these bits
)

// SharedDomainMax is the last domain that has numbers for groups and meters by content. Those of later ones are the
// last 2²⁴ below OFPM_MAX and OFPG_MAX, which are left to others.
const SharedDomainMax = 4078

// SharedNumbers returns the first and the last number of a domain's groups and meters that are known by content; false
// if it has none.
func SharedNumbers(domain uint16) (first, last uint32, ok bool) {
	if domain == 0 || domain > SharedDomainMax {
		return 0, 0, false
	}
	first = uint32(domain) << sharedShift
	return first, first | (1<<sharedShift - 1), true
}

// MeterOfPort is the meter that protects against floods from a port; false if the port's number is
// too large to have one.
func MeterOfPort(port uint32) (uint32, bool) {
	if port > MeterProtectionLast-MeterProtectionFirst {
		return 0, false
	}
	return MeterProtectionFirst + port, true
}
