package stats

import (
	"errors"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Input is something that happened: an Up, a Down, an Answer, a Forgotten or a Wanted.
type Input interface{ input() }

// Up is a session that is ready for requests. It takes the place of an earlier one of the same
// switch.
type Up struct {
	Address
	Version openflow.Version
}

// Down is the end of a session.
type Down struct{ Address }

// Forgotten is a switch that is gone for good: its samples are dropped, unless it has a
// session.
type Forgotten struct{ DPID netview.DPID }

// Answer is what became of the one question that a session has.
type Answer struct {
	Address
	At   time.Time // when it came
	Body openflow.ReplyBody
	// Tenants is the answer to a question of KindTenants, in place of Body.
	Tenants *TenantCounters
	// Err says why there is no Body: ErrRefused, ErrBusy, or another: it was not answered.
	Err error
}

// Wanted is that somebody waits for counters of a switch: KindTenants, KindGroups or KindMeters. It is asked as soon as its pace
// allows: once for all who want them until then.
type Wanted struct {
	DPID netview.DPID
	Kind Kind
}

// Why a question has no answer.
var (
	// ErrRefused: the switch answers such questions with an error.
	ErrRefused = errors.New("stats: the switch refuses to tell")
	// ErrBusy: the switch does not take what is queued for it, so it was not asked.
	ErrBusy = errors.New("stats: the switch does not take what is queued for it")
	// ErrKind: the answer is not to the question.
	ErrKind = errors.New("stats: the answer is of another kind than the question")
)

func (Up) input()        {}
func (Down) input()      {}
func (Answer) input()    {}
func (Forgotten) input() {}
func (Wanted) input()    {}

// Ready is what a step wants done, in this order. It is valid until the next step.
type Ready struct {
	// News are switches whose counters are new; Gone are those whose counters are not kept any
	// longer.
	News []*Switch
	Gone []netview.DPID
	// Tenants is what became of Wanted, and what is known of when more will be known.
	Tenants []*TenantCounters
	// Questions are to be asked; each is answered by an Answer.
	Questions []Question
	// Wake is when the next step is due if nothing happens before; zero: never.
	Wake time.Time
}
