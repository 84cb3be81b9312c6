package flowsync

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// softEntries are the soft entries of an earlier run that a switch may hold, but for those in the places of rows. It has
// none while the switch is not connected.
type softEntries struct {
	*session

	at      map[entryKey]*SoftEntry
	bytes   int // of the listing that they are of; part of shared.listedBytes
	counted int // len(at), as counted in shared.leftover
}

// reset ends a session.
func (s *softEntries) reset() {
	s.at = nil
	s.setBytes(0)
}

// index replaces the entries with those of a listing, except in places that are taken: a rule replaces the entry, or the
// entry is being removed, or was since the listing was requested.
func (s *softEntries) index(r *Reading, taken func(entryKey) bool) {
	s.setBytes(r.size())
	s.at = make(map[entryKey]*SoftEntry, len(r.Soft))
	for i := range r.Soft {
		if key := s.ourKey(r.Soft[i].key()); !taken(key) {
			s.at[key] = &r.Soft[i]
		}
	}
}

// setBytes counts the bytes that are kept of a listing.
func (s *softEntries) setBytes(bytes int) {
	s.listedBytes += bytes - s.bytes
	s.bytes = bytes
}

// countLeftover brings shared.leftover up to date.
func (s *softEntries) countLeftover() {
	s.leftover += len(s.at) - s.counted
	s.counted = len(s.at)
}

// take forgets the entry in a place, if there is one.
func (s *softEntries) take(key entryKey) { delete(s.at, key) }

// removeUseless has remove remove the entries that output to a port which is down or gone, or all, as configured; those for
// which it returns false stay.
func (s *softEntries) removeUseless(remove func(*SoftEntry) bool) {
	if s.phase != phaseReady || len(s.at) == 0 || s.facts == nil || s.facts.State != netview.SwitchReady {
		return
	}
	up := make(map[uint32]bool, len(s.facts.Ports))
	for i := range s.facts.Ports {
		up[s.facts.Ports[i].Number] = s.facts.Ports[i].Up
	}
	var useless []entryKey
	for key, e := range s.at {
		if s.config.RemoveLeftover || slices.ContainsFunc(e.Ports, func(p uint32) bool { return !up[p] }) {
			useless = append(useless, key)
		}
	}
	slices.SortFunc(useless, entryKey.compare)
	for _, key := range useless {
		if remove(s.at[key]) {
			delete(s.at, key)
		}
	}
}
