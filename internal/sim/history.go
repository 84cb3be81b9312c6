package sim

import (
	"errors"
	"time"

	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/store"
)

// Operation is a request for an intent at some instance, from when it was sent until it was answered.
type Operation struct {
	Intent   int
	Kind     OperationKind
	Content  string // that was asked for, or that was read; "": none
	Was      Was    // what the answer says of the intent before
	Called   time.Duration
	Returned time.Duration // if Answered
	Answered bool          // else nobody knows what became of it
	At       string        // the instance
	Replaced bool          // another one was the owner already

	undone bool // it was not done, as the answer says
}

// OperationKind is what is asked for.
type OperationKind uint8

// The kinds of operations.
const (
	OpPut OperationKind = iota
	OpDelete
	OpGet
)

// Was is what the answer to a change says of the state before.
type Was uint8

// What answers say.
const (
	WasAny  Was = iota // nothing
	WasSame            // the intent was as asked for
	WasNone            // there was none
)

// history are the requests of those who use a cluster.
type history struct {
	w    *world
	list []*Operation
}

// at is the instance that somebody asks: one that decides, or thinks so. Nil: there is none.
func (h *history) at(n int) (l *instanceRun) {
	var all []*instanceRun
	for _, m := range h.w.machines {
		if m.running != nil && m.running.decides {
			all = append(all, m.running)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[n%len(all)]
}

// ask has somebody ask for an intent, ask for its removal, or read it. An instance that is stopped answers when it goes on.
func (h *history) ask(e Event) {
	l := h.at(e.B)
	if l == nil {
		return
	}
	o := &Operation{Intent: e.A, Called: h.w.elapsed(), At: l.name()}
	r := intent.Request{Op: intent.Withdraw, ID: intentID(e.A)}
	switch e.Kind {
	case ReadIntent:
		o.Kind = OpGet
	case DropIntent:
		o.Kind = OpDelete
	default:
		r = intent.Request{Op: intent.Replace, Spec: h.w.intents.spec(e.A, e.B)}
		if err := r.Spec.Check(); err != nil {
			h.w.say("not asked for: %v", err)
			return
		}
		o.Content = contentOf(&r.Spec)
	}
	h.list = append(h.list, o)
	l.awake(func() {
		if o.Kind == OpGet {
			o.Content = h.w.intents.contentAt(l, o.Intent)
			h.returns(o)
			h.w.referee.answers(o, l)
			return
		}
		err := l.instance.Intents().SubmitAsync([]intent.Request{r}, false, func(answers []intent.Answer, err error) {
			if !l.over {
				h.answered(o, answers, err)
				h.w.referee.answers(o, l)
			}
		})
		if err != nil {
			h.refused(o, err)
		}
	})
}

func (h *history) returns(o *Operation) {
	o.Answered, o.Returned = true, h.w.elapsed()
	h.w.say("intent w%d: %d %x at %s, called at %v", o.Intent, o.Kind, o.Content, o.At, o.Called)
}

// refused takes out a request of which the instance says that it was not done.
func (h *history) refused(o *Operation, err error) {
	h.w.say("intent w%d at %s: %v", o.Intent, o.At, err)
	if errors.Is(err, store.ErrUnknown) {
		return
	}
	o.undone = true
}

// answered takes an answer.
func (h *history) answered(o *Operation, answers []intent.Answer, err error) {
	if err != nil {
		h.refused(o, err)
		return
	}
	switch a := &answers[0]; a.Status {
	case intent.Accepted:
		h.returns(o)
	case intent.Existing:
		o.Was = WasSame
		h.returns(o)
	case intent.NotFound:
		o.Was = WasNone
		h.returns(o)
	case intent.Conflict:
		o.undone = true
	default:
		h.w.fail("intent w%d: the answer is %s: %s", o.Intent, a.Status, a.Text)
	}
}

// operations are those that were done, or may have been.
func (h *history) operations() (list []Operation) {
	for _, o := range h.list {
		if !o.undone {
			list = append(list, *o)
		}
	}
	return list
}

// readAll reads every intent at the instance that decides.
func (h *history) readAll() {
	l := h.w.decider()
	if l == nil {
		return
	}
	for i := range h.w.plan.Intents {
		o := &Operation{Intent: i, Kind: OpGet, Called: h.w.elapsed(), At: l.name(), Content: h.w.intents.contentAt(l, i)}
		h.list = append(h.list, o)
		h.returns(o)
	}
}
