package paths

import "slices"

// Users is a list of intent numbers. Removal from a long list is lazy: it may contain stale
// numbers, and some twice, so callers that range over it check each.
type Users struct {
	list  []uint32
	stale int // removed numbers that are still in the list
}

// maxSearched is the length up to which removal searches the list.
const maxSearched = 32

// Add adds a number.
func (u *Users) Add(n uint32) { u.list = append(u.list, n) }

// Count returns the number of users.
func (u *Users) Count() int { return len(u.list) - u.stale }

// Remove removes a number; there reports of each whether it is still a user.
func (u *Users) Remove(n uint32, there func(uint32) bool) {
	if len(u.list) <= maxSearched {
		if i := slices.Index(u.list, n); i >= 0 {
			last := len(u.list) - 1
			u.list[i] = u.list[last]
			u.list = u.list[:last]
		}
		return
	}
	if u.stale++; 2*u.stale > len(u.list) {
		slices.Sort(u.list)
		u.list = slices.DeleteFunc(slices.Compact(u.list), func(n uint32) bool { return !there(n) })
		u.list = slices.Clip(u.list)
		u.stale = 0
	}
}

// List returns the numbers. It is not to be changed.
func (u *Users) List() []uint32 { return u.list }
