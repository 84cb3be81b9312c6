package spec

import "fmt"

// Reader reads durable forms that are known to be of specs that Check has passed, one after the
// other in the same memory. It checks nothing again: Parse is for bytes from elsewhere. The zero
// Reader is ready.
type Reader struct {
	form []byte
	ends []End
	spec Spec
}

// Read is the spec of a durable form. It is valid until the next call; its texts share memory
// with the form.
func (r *Reader) Read(form string) *Spec {
	if r.ends == nil {
		r.ends = make([]End, 0, 2)
	}
	r.form = append(r.form[:0], form...)
	b := reader{rest: r.form, form: form, room: r.ends}
	r.spec = Spec{}
	s := &r.spec
	b.whole(s)
	if b.short || b.unknown > 0 {
		panic(fmt.Sprintf("intent: %d bytes, which were taken for the form of a checked spec", len(form)))
	}
	return s
}

// Read is the spec of such a form, in memory of its own but for texts.
func Read(form string) Spec {
	var r Reader
	return *r.Read(form)
}
