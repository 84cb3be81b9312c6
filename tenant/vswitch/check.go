package vswitch

import "fmt"

// Check verifies the invariants of a Switch. It costs as much as there is, and is for tests.
func (s *Switch) Check() error {
	if err := s.tables.Check(); err != nil {
		return err
	}
	if n := s.tables.Entries(); n != len(s.byHandle) {
		return fmt.Errorf("vswitch: %d rows with an entry, the tables have %d", len(s.byHandle), n)
	}
	for handle, r := range s.byHandle {
		if !r.entry || r.handle != handle || s.rows[r.number] != r {
			return fmt.Errorf("vswitch: row %d of handle %d is %+v", r.number, handle, r)
		}
	}
	if len(s.rows) != len(s.byPlace) {
		return fmt.Errorf("vswitch: %d rows in %d places", len(s.rows), len(s.byPlace))
	}
	open := 0
	for number, r := range s.rows {
		if r.number != number || s.byPlace[r.place] != r || r.set == nil {
			return fmt.Errorf("vswitch: row %d is %+v", number, r)
		}
		if !r.entry && len(r.waits) == 0 {
			return fmt.Errorf("vswitch: row %d has no entry, and waits for nothing", number)
		}
		open += len(r.waits)
	}
	for _, i := range append(s.barriers.waiting, s.barriers.current()) {
		open -= i.open
	}
	if open != 0 {
		return fmt.Errorf("vswitch: barriers wait for %d rows less than wait for an outcome", open)
	}
	return nil
}
