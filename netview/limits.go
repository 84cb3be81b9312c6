package netview

// Limits are the bounds of a view. A zero field means its default.
type Limits struct {
	// Changes is how many changes the log keeps for watchers. A watcher that is further behind takes a snapshot.
	Changes int
}

// Defaults of Limits.
const (
	DefaultChanges = 1 << 16
)

func (l Limits) withDefaults() Limits {
	if l.Changes <= 0 {
		l.Changes = DefaultChanges
	}
	return l
}
