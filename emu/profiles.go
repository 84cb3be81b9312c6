package emu

import "github.com/weirnet/weir/emu/profile"

// ProfileUse is a profile, and how many switches have it.
type ProfileUse struct {
	*profile.Profile
	Switches int
}

// Profiles are those that the switches have, in the order of the switches, each once. They must not
// be changed.
func (n *Network) Profiles() []ProfileUse {
	var list []ProfileUse
	at := map[*profile.Profile]int{}
	for _, sw := range n.switches {
		p := sw.Profile()
		i, known := at[p]
		if !known {
			i = len(list)
			at[p] = i
			list = append(list, ProfileUse{Profile: p})
		}
		list[i].Switches++
	}
	return list
}
