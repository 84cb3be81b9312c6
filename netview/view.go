package netview

import (
	"sync"
	"sync/atomic"
)

// Revision counts the transactions of a view. The API prints it as an opaque string.
type Revision uint64

// View is the network view. Reading is free of locks: take a Snapshot. Writing goes through Facts,
// Masters, Inputs, Desired, Status and Alarms, each of which has one owner; transactions are
// serialised.
type View struct {
	current atomic.Pointer[Snapshot]

	write sync.Mutex // serialises transactions and guards work
	work  working

	log changeLog

	owners struct {
		sync.Mutex
		writers map[string]bool // that have an owner
	}
}

// New returns an empty view of revision 0.
func New(limits Limits) *View {
	v := &View{work: newWorking()}
	v.owners.writers = make(map[string]bool)
	v.log.Log = newChangeLog(limits.withDefaults())
	v.current.Store(v.work.publish(0))
	return v
}

// own panics if the writer has an owner already.
func (v *View) own(writer string) {
	v.owners.Lock()
	defer v.owners.Unlock()
	if v.owners.writers[writer] {
		panic("netview: " + writer + " has an owner already")
	}
	v.owners.writers[writer] = true
}

// disown lets the writer have another owner.
func (v *View) disown(writer string) {
	v.owners.Lock()
	defer v.owners.Unlock()
	delete(v.owners.writers, writer)
}

// Snapshot is the view as it is now. It never blocks and is never nil.
func (v *View) Snapshot() *Snapshot { return v.current.Load() }

// transact runs one transaction: do changes the working tables, and either all of it is published,
// under the next revision, or (if do panics) nothing. A transaction that changed nothing has no
// revision of its own.
func (v *View) transact(do func(w *working)) Revision {
	v.write.Lock()
	defer v.write.Unlock()
	v.work.revision = v.current.Load().revision + 1
	done := false
	defer func() {
		if !done {
			v.work.rollback(v.current.Load())
		}
	}()
	do(&v.work)
	done = true
	return v.commit()
}

func (v *View) commit() Revision {
	old, w := v.current.Load(), &v.work
	if !w.changed(old) {
		if w.unseen(old) {
			v.current.Store(w.publish(old.revision))
		}
		w.forget()
		return old.revision
	}
	next := w.publish(w.revision)
	v.log.publish(next.revision, w.pending, func() { v.current.Store(next) })
	w.forget()
	return next.revision
}
