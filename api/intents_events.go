package api

// putIntents sends changes of intents that are in the engine's log after the position; it tells whether there were any. The
// id of an event is its place in its revision, so that a client that lost the connection within one gets the rest.
func (st *stream) putIntents() bool {
	if !st.intents {
		return false
	}
	list, upto, ok := st.s.cfg.Intents.Changes(st.at.intents, streamBatch)
	if !ok {
		st.lost = true
		return true
	}
	n := 0
	for i := range list {
		c := &list[i]
		if n++; i > 0 && list[i-1].Revision != c.Revision {
			n = 1
		}
		if c.Revision == st.partly.intents && n <= st.partly.events {
			continue
		}
		st.told = position{revision: st.at.revision, intents: c.Revision, events: n}
		if i+1 == len(list) || list[i+1].Revision != c.Revision {
			st.told.events = 0
		}
		item := intentItem(&c.Intent)
		if c.Gone {
			item = goneItem(&c.Intent)
		}
		st.event("intent", item, c.Gone, st.s.epoch.text(st.told))
	}
	st.at.intents = upto
	return len(list) > 0
}

// allIntents sends all intents, a part at a time: a part is in memory, and not all.
func (st *stream) allIntents() {
	if !st.intents {
		return
	}
	for after := uint32(0); !st.failed; {
		list, next := st.s.cfg.Intents.List(after, streamBatch, nil)
		for i := range list {
			st.event("intent", intentItem(&list[i]), false, "")
		}
		if after = next; next == 0 {
			return
		}
	}
}
