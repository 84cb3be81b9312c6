package netview

// Limits are the bounds of a view. A zero field means its default.
type Limits struct {
	// Changes is how many changes the log keeps for watchers. A watcher that is further behind
	// takes a snapshot.
	Changes int
	// Bytes is how much the rows of these changes may take, about. Each change of a port is a row
	// of its switch with all ports, so that a switch of thousands of ports would have the log keep
	// gigabytes.
	Bytes int
}

// Defaults of Limits.
const (
	DefaultChanges = 1 << 16
	DefaultBytes   = 32 << 20
)

func (l Limits) withDefaults() Limits {
	if l.Changes <= 0 {
		l.Changes = DefaultChanges
	}
	if l.Bytes <= 0 {
		l.Bytes = DefaultBytes
	}
	return l
}
