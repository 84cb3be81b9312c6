package paths

import "github.com/weirnet/weir/ruleset"

// AddUser registers an intent with a path.
func (r *Registry) AddUser(path *Path, n uint32) {
	if path.users.Count() == 0 {
		r.idle--
	}
	path.users.Add(n)
}

// RemoveUser undoes AddUser; uses reports which others still use the path.
func (r *Registry) RemoveUser(path *Path, n uint32, uses func(uint32) bool) {
	path.users.Remove(n, uses)
	if path.users.Count() == 0 {
		r.idle++
	}
}

// AddRetiring notes that an intent has rules along a route that it does not want any more, or that are
// going to be removed. A path has each intent once.
func (r *Registry) AddRetiring(route *ruleset.Route, n uint32) {
	r.retiring.Add(hashOf(route), n, struct{}{})
}

// RemoveRetiring undoes AddRetiring.
func (r *Registry) RemoveRetiring(route *ruleset.Route, n uint32) {
	r.retiring.Remove(hashOf(route), n)
}

// HasRetiring reports whether an intent may have a retiring rule set along a path.
func (r *Registry) HasRetiring(path *Path) (found bool) {
	r.retiring.Find(hashOf(&path.route), func(uint32) bool { found = true; return false })
	return found
}

// EachHolder yields the intents with rules along a path, including retiring ones, until yield returns
// false: some twice, and possibly some that have none.
func (r *Registry) EachHolder(path *Path, yield func(uint32) bool) {
	for _, n := range path.users.list {
		if !yield(n) {
			return
		}
	}
	r.retiring.Find(hashOf(&path.route), yield)
}
