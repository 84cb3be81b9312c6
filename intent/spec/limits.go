package spec

import "github.com/weirnet/weir/intent/schema"

// Limits of one intent.
const (
	// PriorityDefault is the priority of an intent that says none; PriorityMax the highest. The
	// switch's priority is this number inside the band of intents.
	PriorityDefault = schema.PriorityDefault
	PriorityMax     = schema.PriorityMax

	// MaxID is the longest id, in bytes.
	MaxID = schema.MaxID

	// MaxEnds is how many connect points an intent of several may have at most, MaxHops how many
	// hops a path.
	MaxEnds = 256
	MaxHops = 256

	// MaxPort is the highest number of a port (OFPP_MAX of OpenFlow 1.3).
	MaxPort = 0xffffff00

	// MaxSelector is the longest selector, in bytes of OXM TLVs: each field of OpenFlow 1.3 with
	// its mask fits.
	MaxSelector = 512
)
