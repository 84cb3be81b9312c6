package netview

import "testing"

// TestLogOfWideRows: the log holds as many bytes as it may, however wide rows are. A reader behind
// it takes a snapshot, any other gets every change.
func TestLogOfWideRows(t *testing.T) {
	const ports, edits = 8000, 200
	v := New(Limits{})
	facts := v.Facts()
	wide := func(up bool) Revision {
		sw := &Switch{DPID: 1, Ports: make([]Port, ports)}
		for i := range sw.Ports {
			sw.Ports[i] = Port{Number: uint32(i + 1), Up: up}
		}
		return facts.Update(func(tx *FactsTx) { tx.PutSwitch(sw) })
	}
	var last Revision
	for i := range edits {
		last = wide(i%2 == 0)
	}
	kept := v.log.Len()
	if want := DefaultBytes / (rowBytes + portBytes*ports); kept != want {
		t.Errorf("%d changes are kept, want %d", kept, want)
	}
	if _, _, ok := v.Changes(last-Revision(kept)-1, 1000); ok {
		t.Error("changes that the log has no more are not missed")
	}
	if list, upto, ok := v.Changes(last-Revision(kept), 1000); !ok || upto != last || len(list) != kept {
		t.Errorf("%d changes up to %d (%v), want %d up to %d", len(list), upto, ok, kept, last)
	}
	facts.Update(func(tx *FactsTx) { tx.DeleteSwitch(1) })
	for i := range 100 { // narrow rows drive the wide ones out one by one
		facts.Update(func(tx *FactsTx) { tx.PutSwitch(&Switch{DPID: DPID(i + 2)}) })
	}
	if v.log.Len() < 100 {
		t.Errorf("%d changes are kept", v.log.Len())
	}
}
