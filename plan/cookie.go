package plan

import "fmt"

// Kind is the kind of owner of a flow entry, bits 51–48 of its cookie.
type Kind uint8

// The kinds of owners.
const (
	KindInfrastructure Kind = 0  // pipeline, discovery, table-miss
	KindTree           Kind = 1  // app/broadcast: broadcast, ARP, ND
	KindPair           Kind = 2  // app/forward: unicast pairs
	KindOperator       Kind = 3  // operators' rules
	KindIntent         Kind = 4  // intents
	KindTenant         Kind = 5  // tenants
	KindProtection     Kind = 6  // meters and drops against floods
	KindApp            Kind = 7  // applications' own rules
	KindMark           Kind = 15 // a switch's own marks: probes of "weir check"
)

// Soft reports whether entries of the kind have a time-out and are never repaired: the switch is
// the truth about them.
func (k Kind) Soft() bool { return k == KindPair || k == KindProtection }

// String is the kind's name, or its number for a reserved one.
func (k Kind) String() string {
	switch k {
	case KindInfrastructure:
		return "infrastructure"
	case KindTree:
		return "tree"
	case KindPair:
		return "pair"
	case KindOperator:
		return "operator"
	case KindIntent:
		return "intent"
	case KindTenant:
		return "tenant"
	case KindProtection:
		return "protection"
	case KindApp:
		return "app"
	case KindMark:
		return "mark"
	}
	return fmt.Sprintf("reserved-%d", uint8(k))
}

// Where the parts of a cookie stand, and the masks that select entries by cookie (OpenFlow 1.3).
const (
	domainShift = 52
	kindShift   = 48
	ownerShift  = 16

	DomainMask uint64 = 0xfff << domainShift              // one Weir's entries
	KindMask   uint64 = DomainMask | 0xf<<kindShift       // those of one kind of owner
	OwnerMask  uint64 = KindMask | 0xffffffff<<ownerShift // those of one owner, all its path versions
	ExactMask  uint64 = 1<<64 - 1                         // one owner's one path version
)

// The domains: which Weir wrote an entry. Domain 0 is never used, so that an entry with cookie 0 is
// foreign.
const (
	DomainDefault uint16 = 1
	DomainMax     uint16 = 4095
)

// Cookie is the cookie of a flow entry, taken apart. Domain is 1–4095 for entries of ours. Owner is
// which one of its kind; Version is which of an owner's successive decisions, modulo 2¹⁶.
type Cookie struct {
	Domain  uint16
	Kind    Kind
	Owner   uint32
	Version uint16
}

// Encode is the cookie as 64 bits. Bits of Domain above 12 and of Kind above 4 would belong to the
// neighbour: they panic.
func (c Cookie) Encode() uint64 {
	if c.Domain > DomainMax || c.Kind > 15 {
		panic(fmt.Sprintf("plan: no cookie for domain %d, kind %d", c.Domain, c.Kind))
	}
	return uint64(c.Domain)<<domainShift | uint64(c.Kind)<<kindShift | uint64(c.Owner)<<ownerShift | uint64(c.Version)
}

// Decode takes a cookie apart.
func Decode(cookie uint64) Cookie {
	return Cookie{
		Domain:  uint16(cookie >> domainShift),
		Kind:    Kind(cookie >> kindShift & 0xf),
		Owner:   uint32(cookie >> ownerShift),
		Version: uint16(cookie),
	}
}

// A tenant's owner number is the tenant's and that of a row of its tables, on all switches together; row 0 is
// what tells the tenant's packets from others'. A tenant's path version is the incarnation of the row.
const (
	TenantMax    = 1<<10 - 1
	TenantRowMax = 1<<rowBits - 1
	rowBits      = 22
)

// TenantOwner returns the owner number of a tenant's row.
func TenantOwner(tenant uint16, row uint32) uint32 { return uint32(tenant)<<rowBits | row&TenantRowMax }

// TenantRow undoes TenantOwner.
func TenantRow(owner uint32) (tenant uint16, row uint32) {
	return uint16(owner >> rowBits), owner & TenantRowMax
}

// An application's owner number is the application's and that of a rule of its.
const (
	AppMax      = 1<<12 - 1
	AppRuleMax  = 1<<appRuleBits - 1
	appRuleBits = 20
)

// AppOwner returns the owner number of an application's rule.
func AppOwner(app uint16, rule uint32) uint32 { return uint32(app)<<appRuleBits | rule&AppRuleMax }

// AppRule undoes AppOwner.
func AppRule(owner uint32) (app uint16, rule uint32) {
	return uint16(owner >> appRuleBits), owner & AppRuleMax
}

// Foreign reports whether an entry with this cookie is not of this domain: it is listed and left
// alone.
func Foreign(cookie uint64, domain uint16) bool { return Decode(cookie).Domain != domain }
