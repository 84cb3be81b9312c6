package config

// Change is one difference between two configurations.
type Change struct {
	Path     string // "discovery.lldp_period", "switches[00000000000000a1].name", "allow[00000000000000a1]"
	Old, New string // empty where nothing is said
	Restart  bool   // it holds from the next start
	Admin    bool   // only the role admin may make it
}

// Diff is what differs between two configurations, in order of the schema; what is gone stands where it stood.
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
			changes = append(changes, Change{e.path, e.value, now, e.restart, e.admin})
		}
	}
	for _, e := range is {
		if !old[e.path] {
			changes = append(changes, Change{e.path, "", e.value, e.restart, e.admin})
		}
	}
	return changes
}
