package intent

import "slices"

// users is a list of numbers that come and go. A long list is searched only now and then: what has left may stand in it until then, and some
// twice, so whoever ranges over it looks again at each.
type users struct {
	list []uint32
	gone int // that stand in the list still
}

// usersSearched is up to which length a list is searched for what leaves.
const usersSearched = 32

func (u *users) add(n uint32) { u.list = append(u.list, n) }

// count is how many there are.
func (u *users) count() int { return len(u.list) - u.gone }

// remove takes a number out; there says of each whether it is to stay.
func (u *users) remove(n uint32, there func(uint32) bool) {
	if len(u.list) <= usersSearched {
		if i := slices.Index(u.list, n); i >= 0 {
			last := len(u.list) - 1
			u.list[i] = u.list[last]
			u.list = u.list[:last]
		}
		return
	}
	if u.gone++; 2*u.gone > len(u.list) {
		slices.Sort(u.list)
		u.list = slices.DeleteFunc(slices.Compact(u.list), func(n uint32) bool { return !there(n) })
		u.list = slices.Clip(u.list)
		u.gone = 0
	}
}
