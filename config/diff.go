package config

// Change is one difference between two configurations.
type Change struct {
	Path     string // "discovery.lldp_period", "switches[00000000000000a1].name", "allow[00000000000000a1]"
	Old, New string // empty: unset
	Restart  bool   // takes effect at the next start
	Admin    bool   // requires the role admin
	Scope    Scope  // whose the field is
}

// Diff returns the differences of two configurations, in order of the schema; removed values at
// their former place.
func Diff(from, to *Config) []Change {
	was, is := from.entries(), to.entries()
	index := make(map[string]string, len(is))
	for _, e := range is {
		index[e.path] = e.value
	}
	var changes []Change
	old := make(map[string]bool, len(was))
	for _, e := range was {
		old[e.path] = true
		if now, ok := index[e.path]; !ok || now != e.value {
			changes = append(changes, Change{e.path, e.value, now, e.restart, e.admin, e.scope})
		}
	}
	for _, e := range is {
		if !old[e.path] {
			changes = append(changes, Change{e.path, "", e.value, e.restart, e.admin, e.scope})
		}
	}
	return changes
}
