package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/cluster/local"
)

// offers are intents that are offered at a set rate, whether those before are answered or not: each by a request of its
// own to the instance that accepted the last, or, where that is not known or refuses, to one after the other.
type offers struct {
	bed     *failoverBed
	begun   time.Time
	end     context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex // guards what follows
	owner  *local.Instance
	avoids *local.Instance // is not asked; nil: all are
	list   []*offer
	err    error
}

// offer is one.
type offer struct {
	number      int
	meant, sent time.Time
	answered    time.Time
	by          *local.Instance // that accepted it; nil: none did
}

// offerTimeout is how long an instance may take to answer.
const offerTimeout = 10 * time.Second

// offeredID and offeredAddress are those of an offered intent, whose packets are to the address, one of 100.64.0.0/11;
// those that are there from the beginning have the other half of 100.64.0.0/10.
func offeredID(n int) string         { return fmt.Sprintf("offered-%d", n) }
func offeredAddress(n int) uint32    { return 100<<24 | 64<<16 | uint32(n)&(1<<21-1) }
func backgroundAddress(n int) uint32 { return offeredAddress(n) | 1<<21 }

func backgroundID(n int) string { return fmt.Sprintf("background-%d", n) }

// above is the priority of both.
var above = uint16(client.PriorityDefault + 1)

// to is the selector of the packets to an address.
func to(a uint32) client.Selector {
	return client.Selector{"ipv4_dst": fmt.Sprintf("%d.%d.%d.%d", a>>24, a>>16&255, a>>8&255, a&255)}
}

// offer begins to offer intents.
func (b *failoverBed) offer(ctx context.Context) *offers {
	ctx, end := context.WithCancel(ctx)
	o := &offers{bed: b, begun: time.Now(), end: end}
	b.referee.ForgetEntries()
	o.running.Go(func() { o.loop(ctx) })
	return o
}

// loop offers each intent at its time.
func (o *offers) loop(ctx context.Context) {
	defer pace.Urgent()()
	period := time.Second / time.Duration(o.bed.c.Rate)
	for i := 0; ; i++ {
		meant := o.begun.Add(time.Duration(i) * period)
		for wait := time.Until(meant); wait > 0; wait = time.Until(meant) {
			pace.Nap(min(wait, 10*time.Millisecond))
			if ctx.Err() != nil {
				return
			}
		}
		if ctx.Err() != nil {
			return
		}
		x := &offer{number: o.bed.next, meant: meant, sent: time.Now()}
		o.bed.next++
		o.mu.Lock()
		o.list = append(o.list, x)
		o.mu.Unlock()
		o.running.Go(func() { o.ask(x) })
	}
}

// stop ends the offers and waits for the answers.
func (o *offers) stop() {
	o.end()
	o.running.Wait()
}

// avoid has an instance not be asked any more.
func (o *offers) avoid(one *local.Instance) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.avoids = one; o.owner == one {
		o.owner = nil
	}
}

// ask sends one.
func (o *offers) ask(x *offer) {
	ctx, cancel := context.WithTimeout(context.Background(), offerTimeout)
	defer cancel()
	r := o.request(x.number)
	o.mu.Lock()
	first, avoids := o.owner, o.avoids
	o.mu.Unlock()
	list := slices.DeleteFunc(o.bed.cluster.Living(), func(one *local.Instance) bool { return one == avoids })
	if i := slices.Index(list, first); i > 0 {
		list[0], list[i] = list[i], list[0]
	}
	for _, one := range list {
		_, err := one.Client().ReplaceIntent(ctx, &r, client.CreateOptions{})
		o.mu.Lock()
		if err == nil {
			x.by, x.answered, o.owner = one, time.Now(), one
			o.mu.Unlock()
			return
		}
		o.err = err
		if o.owner == one {
			o.owner = nil
		}
		o.mu.Unlock()
	}
}

// request is that of an offered intent: between hosts' ports, of packets that no host sends.
func (o *offers) request(n int) client.IntentRequest {
	b := o.bed
	pair := b.pairs[n%len(b.pairs)]
	return client.IntentRequest{ID: offeredID(n), Kind: client.PointToPoint, Priority: &above,
		Src: client.PointEnds(b.point(pair[0].Spec().At)), Dst: client.PointEnds(b.point(pair[1].Spec().At)),
		Selector: to(offeredAddress(n))}
}

// firstAccepted is the offer that was made after a time and accepted first, by another than who is about to end; nil: none
// was.
func (o *offers) firstAccepted(after time.Time, ends *local.Instance) (first *offer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, x := range o.list {
		if x.by != nil && x.by != ends && x.meant.After(after) && (first == nil || x.answered.Before(first.answered)) {
			first = x
		}
	}
	return first
}

// lastError is what was said last of one that was not accepted.
func (o *offers) lastError() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// measure adds what became of the offers, after stop.
func (o *offers) measure(k *failoverRun, at time.Time) {
	lateness := report.NewHistogram()
	var answers []time.Time
	for _, x := range o.list {
		lateness.Record(int64(x.sent.Sub(x.meant)))
		if x.by == nil {
			k.refused++
			continue
		}
		k.acceptedIntents++
		answers = append(answers, x.answered)
	}
	k.lateness = time.Duration(lateness.ValueAtQuantile(99))
	k.gap = longestGap(answers, at)
}

// longestGap is the longest time between two answers that follow each other, of which the second came after a moment.
func longestGap(answers []time.Time, after time.Time) (longest time.Duration) {
	slices.SortFunc(answers, time.Time.Compare)
	for i := 1; i < len(answers); i++ {
		if answers[i].After(after) {
			longest = max(longest, answers[i].Sub(answers[i-1]))
		}
	}
	return longest
}

// withdrawBatch is how many intents are withdrawn at once.
const withdrawBatch = 500

// forget counts the accepted intents that are missing, and withdraws all, those too whose answers are not known.
func (o *offers) forget(ctx context.Context, k *failoverRun) error {
	owner := o.bed.cluster.Owner(ctx)
	if owner == nil {
		return fmt.Errorf("%w: no instance says that it is the owner", report.ErrNothing)
	}
	page, err := owner.Client().Intents(ctx)
	if err != nil {
		return err
	}
	there := make(map[string]bool, len(page.Items))
	for i := range page.Items {
		there[page.Items[i].ID] = true
	}
	var ids []string
	for _, x := range o.list {
		id := offeredID(x.number)
		ids = append(ids, id)
		if x.by != nil && !there[id] {
			k.missing++
		}
	}
	for n := range 2 * len(o.bed.pairs) {
		if k.acceptedIntents++; !there[fmt.Sprintf("pair-%d", n)] {
			k.missing++
		}
	}
	for n := range o.bed.c.Intents {
		if k.acceptedIntents++; !there[backgroundID(n)] {
			k.missing++
		}
	}
	for batch := range slices.Chunk(ids, withdrawBatch) {
		if _, err := owner.Client().WithdrawIntents(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}
