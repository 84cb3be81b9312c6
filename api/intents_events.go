package api

// putIntents sends changes of intents that are in the engine's log after the position; it tells whether there were any. The
// last of those that have one revision has an id, so that a client which lost the connection within one gets all of it.
func (st *stream) putIntents() bool {
	if !st.intents {
		return false
	}
	list, upto, ok := st.s.cfg.Intents.Changes(st.at.intents, streamBatch)
	if !ok {
		st.lost = true
		return true
	}
	for i := range list {
		c := &list[i]
		id := ""
		if i+1 == len(list) || list[i+1].Revision != c.Revision {
			st.told = position{revision: st.at.revision, intents: c.Revision}
			id = st.s.epoch.text(st.told)
		}
		item := intentItem(&c.Intent)
		if c.Gone {
			item = goneItem(&c.Intent)
		}
		st.event("intent", item, c.Gone, id)
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
