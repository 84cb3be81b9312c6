package stats

import (
	"time"
)

// device is what the core keeps of a switch.
type device struct {
	now        *Switch // what is on the board, or will be
	address    Address
	connected  bool
	selectable bool // it can select entries by cookie
	paces      [kinds]pace
	missed     int       // questions in a row that it did not answer, or could not be asked
	asked      *Question // that waits for its answer
	askedAt    time.Time
	part       int           // of KindFlows: which is next
	flows      *Flows        // of the parts so far
	took       time.Duration // for the parts so far
	bytes      int           // of the parts so far
	turns      [sorts]uint64 // in the agendas; 0: it is not there
	gone       uint64        // without a session since: a number that rises
}

// next is the regular kind that is due first, and when; false if none ever is.
func (d *device) next() (Kind, time.Time, bool) {
	best, at, ok := Kind(0), time.Time{}, false
	for k := range KindTenants {
		if due := d.paces[k].due; !due.IsZero() && (!ok || due.Before(at)) {
			best, at, ok = k, due, true
		}
	}
	return best, at, ok
}

// question is the one that is due of a kind.
func (d *device) question(k Kind) *Question {
	q := &Question{Address: d.address, Kind: k}
	if k == KindFlows {
		q.Part = d.part
	}
	return q
}

// take folds an answer into a new Switch. whole is false if more parts are to be asked for; then
// nothing is new yet.
func (d *device) take(q *Question, a *Answer, domain uint16) (whole bool, err error) {
	if q.Kind == KindTenants {
		if a.Tenants == nil {
			return false, ErrKind
		}
		return true, nil
	}
	if k, _ := kindOf(a.Body); k != q.Kind {
		return false, ErrKind
	}
	if q.Kind.onDemand() {
		return true, nil
	}
	next := *d.now
	switch body := a.Body.(type) {
	case *portList:
		next.Ports = portsOf(body.Ports, q.Epoch, a.At, d.now.Ports)
	case *tableList:
		next.Tables = tablesOf(body.Tables, q.Epoch, a.At, d.now.Tables)
	case *totals:
		next.Totals = &Totals{AsOf: a.At, Entries: body.Flows, Packets: body.Packets, Bytes: body.Bytes}
	case *flowList:
		selectors := counted(domain)
		if d.flows == nil {
			d.flows = newFlows(a.At, q.Epoch)
		}
		d.flows.gather(body.Flows, selectors[q.Part], d.now.Flows)
		if d.part++; d.part < len(selectors) {
			return false, nil
		}
		next.Flows = d.flows
	}
	d.now = &next
	return true, nil
}

// onMissed takes a question that was not answered, or could not be asked: whatever else is due
// waits too.
func (d *device) onMissed(cfg *Config, now time.Time) {
	d.missed++
	d.restart()
	for k := range kinds {
		p := &d.paces[k]
		if soonest := now.Add(p.interval(cfg.period(k), d.missed)); !p.due.IsZero() && p.due.Before(soonest) {
			p.due = soonest
		}
	}
}

// recovered takes an answer after misses: what waited because of them is due.
func (d *device) recovered(now time.Time) {
	d.missed = 0
	for k := range kinds {
		if p := &d.paces[k]; !p.due.IsZero() {
			p.due = now
		}
	}
}

// addPart adds what a part cost to those before it. After the last one all is forgotten.
func (d *device) addPart(took time.Duration, bytes int, whole bool) (time.Duration, int) {
	d.took += took
	d.bytes += bytes
	took, bytes = d.took, d.bytes
	if whole {
		d.restart()
	}
	return took, bytes
}

// restart forgets the parts so far.
func (d *device) restart() { d.part, d.flows, d.took, d.bytes = 0, nil, 0, 0 }
