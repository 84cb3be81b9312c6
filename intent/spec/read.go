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

// Read is the spec of a durable form. It is valid until the next call; its ID shares memory with
// the form.
func (r *Reader) Read(form string) *Spec {
	if r.ends == nil {
		r.ends = make([]End, 0, 2)
	}
	r.form = append(r.form[:0], form...)
	b := reader{rest: r.form, room: r.ends}
	r.spec = Spec{}
	s := &r.spec
	format := b.take(1)[0]
	n := len(b.head(s))
	s.ID = form[headLen : headLen+n]
	b.ends(s)
	if b.short {
		panic(fmt.Sprintf("intent: %d bytes, which were taken for the form of a checked spec", len(form)))
	}
	if len(b.rest) > 0 {
		s.Selector.OXM = b.rest
	}
	s.Wide = format == format2 || s.Boundless()
	return s
}

// Read is the spec of such a form, in memory of its own but for the ID.
func Read(form string) Spec {
	var r Reader
	return *r.Read(form)
}
