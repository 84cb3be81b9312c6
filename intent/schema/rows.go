package schema

import (
	"fmt"
	"strconv"
)

// Field is a field of a request: the place of its row in Rows.
type Field uint8

// The fields, in the order in which they are written.
const (
	Op Field = iota
	ID
	Kind
	Priority
	Src
	Dst
	Hops
	Selector
	IfMatch
	Key
	Wide
	Constraints
	Protected
	fields // how many there are
)

// Bounds of fields.
const (
	// PriorityDefault is the priority of an intent that says none; PriorityMax the highest. The lowest
	// is 0.
	PriorityDefault = 100
	PriorityMax     = 19999
	// MaxID is the longest id, MaxKey the longest idempotency key, MaxETag the longest etag, in bytes.
	MaxID   = 128
	MaxKey  = 255
	MaxETag = 255
)

// KindNames are the names of the kinds of intents, by their numbers.
var KindNames = []string{"", "host-to-host", "point-to-point", "multipoint-to-point", "point-to-multipoint", "path"}

// Rows are the fields, in the order in which they are written. They are not changed.
var Rows = filled([fields]Row{
	Op: {Name: "op", Form: Enum, Part: Request, Number: 1, Values: []string{"create", "put", "withdraw"},
		Doc: "In a stream only; create if it is left out."},
	ID: {Name: "id", Form: Text, Number: 2, MaxLength: MaxID,
		Flags:   []CommandFlag{{"id", "its name; the instance chooses one if none is given", "add"}},
		Doc:     "A name of the caller's: letters, digits and . _ : @ + = , ~ -. Without one the instance chooses.",
		Comment: "empty: the instance chooses one"},
	Kind: {Name: "kind", Form: Enum, Number: 3, Values: KindNames, Doc: "What it connects, and which way."},
	Priority: {Name: "priority", Form: Number, Number: 4, Default: PriorityDefault, Max: PriorityMax,
		Flags: []CommandFlag{{Name: "priority",
			Usage: fmt.Sprintf("among intents, 0 to %d: of overlapping ones the highest takes the packets", PriorityMax)}},
		Doc:     "Among intents; 100 if it is left out. The higher has the packets.",
		Comment: "0 to 19999; not given: 100"},
	Src: {Name: "src", Form: Ends, Number: 5, Also: "src_host", AlsoNumber: 7,
		Flags: []CommandFlag{{Name: "host", Usage: "a host by id or IP address; given twice, or followed by the other host"},
			{Name: "from", Usage: "SWITCH/PORT where packets come in; repeatable"}},
		Doc:     "A host's id (host-to-host), or one connect point, or (multipoint-to-point) a list of them.",
		Comment: "not of host-to-host and path", AlsoComment: "of host-to-host"},
	Dst: {Name: "dst", Form: Ends, Number: 6, Also: "dst_host", AlsoNumber: 8,
		Flags: []CommandFlag{{Name: "to", Usage: "SWITCH/PORT where packets go out; repeatable"}},
		Doc:   "As src; a list with point-to-multipoint."},
	Hops: {Name: "hops", Form: HopList, Number: 9,
		Flags:   []CommandFlag{{Name: "hop", Usage: "SWITCH:IN:OUT, a hop of the path; ingress first"}},
		Doc:     "Of kind path, ingress first.",
		Comment: "of path, ingress first"},
	Selector: {Name: "selector", Form: Match, Number: 10, Also: "selector_oxm", AlsoNumber: 11,
		Flags: []CommandFlag{{Name: "match", Usage: "FIELD=VALUE of OpenFlow 1.3; repeatable"}},
		Doc: "Match fields of OpenFlow 1.3 by name, values as text or numbers. None: all IPv4 and IPv6; between hosts " +
			"everything.",
		Comment: "in text,", AlsoComment: "or as OXM TLVs of OpenFlow 1.3, one after the other"},
	IfMatch: {Name: "if_match", Form: Text, Part: Request, Number: 12, MaxLength: MaxETag,
		Flags:   []CommandFlag{{"if-match", "the etag that it must have (weir intent show)", "replace"}},
		Doc:     "In a stream, with put and withdraw: the etag that the intent must have.",
		Comment: "of PUT and WITHDRAW: the etag that the intent must have"},
	Key: {Name: "key", Form: Text, Part: Request, Number: 13, MaxLength: MaxKey,
		Flags:   []CommandFlag{{"key", "an idempotency key: the same request with the same key makes one intent", "add"}},
		Doc:     "In a stream, with create and no id: an idempotency key.",
		Comment: "of CREATE without an id: an idempotency key"},
	Wide: {Name: "wide", Form: Flag, Number: 14,
		Flags: []CommandFlag{{Name: "wide",
			Usage: "nothing: that packets of other senders matched had to be accepted once, and none does now"}},
		Doc: "In requests it means nothing any more. In answers: its selector does not fix who sends, so its packets are " +
			"tagged on links between switches.",
		Comment: "in requests it means nothing any more"},
	Constraints: {Name: "constraints", Form: Object, Unserved: "constraints are not served yet"},
	Protected:   {Name: "protected", Form: Flag, Unserved: "protection is not served yet"},
})

// filled fills in what follows from the rest.
func filled(rows [fields]Row) [fields]Row {
	for i := range rows {
		rows[i].Field, rows[i].Begin = Field(i), strconv.Quote(rows[i].Name)+":"
	}
	return rows
}
