package node_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/store"
)

// batchSize is how many intents the batches and streams of the test have.
const batchSize = 7

// form is one request of a form, number n of a worker; an error means that no answer came.
type form func(ctx context.Context, worker string, n int) error

// forms are the requests of each form.
func (k *killed) forms() map[string]form {
	return map[string]form{
		"post": k.post, "put": k.put, "delete": k.delete, "batch": k.batch, "atomic": k.atomic, "refused": k.refused,
		"ndjson":   func(ctx context.Context, worker string, n int) error { return k.stream(ctx, worker, n, false) },
		"protobuf": func(ctx context.Context, worker string, n int) error { return k.stream(ctx, worker, n, true) },
		"apply":    k.apply, "drain": k.drain, "backup": k.backup,
	}
}

// wish is an intent from the first host's port to the last one's; its packets are its own.
func (k *killed) wish(id string, priority int) *client.IntentRequest {
	p := uint16(priority)
	src, dst := k.ends[0], k.ends[1]
	n := k.number(id)
	mac := fmt.Sprintf("06:00:%02x:%02x:%02x:%02x", byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	return &client.IntentRequest{ID: id, Kind: client.PointToPoint, Priority: &p, Src: client.PointEnds(src),
		Dst:      client.PointEnds(dst),
		Selector: client.Selector{"eth_src": mac}}
}

// answered takes an answer about an intent in.
func (k *killed) answered(form string, a *client.IntentAnswer) {
	switch key := "intent " + a.ID; {
	case a.OK():
		k.acknowledge(form, key)
	case strings.Contains(a.Detail, "unknown"):
	default:
		k.t.Errorf("%s: %+v", form, a)
	}
}

func (k *killed) post(ctx context.Context, worker string, n int) error {
	r := k.wish(fmt.Sprintf("post-%s-%d", worker, n), 100)
	k.ask("intent "+r.ID, "100")
	a, err := k.api.CreateIntent(ctx, r, client.CreateOptions{})
	if err == nil {
		k.answered("post", a)
	}
	return err
}

func (k *killed) put(ctx context.Context, worker string, n int) error {
	r := k.wish("put-"+worker[:1], 101+n)
	k.ask("intent "+r.ID, fmt.Sprint(101+n))
	a, err := k.api.ReplaceIntent(ctx, r, client.CreateOptions{})
	if err == nil {
		k.answered("put", a)
	}
	return err
}

func (k *killed) delete(ctx context.Context, worker string, n int) error {
	r := k.wish(fmt.Sprintf("delete-%s-%d", worker, n), 100)
	k.ask("intent "+r.ID, "100")
	a, err := k.api.CreateIntent(ctx, r, client.CreateOptions{})
	if err != nil {
		return err
	}
	k.answered("delete", a)
	k.ask("intent "+r.ID, "")
	if err = k.api.WithdrawIntent(ctx, r.ID, ""); err == nil {
		k.acknowledge("delete", "intent "+r.ID)
	}
	return err
}

// several are the intents of a batch.
func (k *killed) several(prefix string) (list []client.IntentRequest) {
	for i := range batchSize {
		list = append(list, *k.wish(fmt.Sprint(prefix, "-", i), 100))
	}
	return list
}

// batch has an intent that is refused between those that are not.
func (k *killed) batch(ctx context.Context, worker string, n int) error {
	list := k.several(fmt.Sprintf("batch-%s-%d", worker, n))
	for i := range list {
		if i == batchSize/2 {
			list[i].Kind = "no kind"
			continue
		}
		k.ask("intent "+list[i].ID, "100")
	}
	answers, err := k.api.CreateIntents(ctx, list, client.CreateOptions{})
	if err != nil {
		return err
	}
	for i := range answers.Items {
		if i != batchSize/2 {
			k.answered("batch", &answers.Items[i])
		} else if answers.Items[i].Status != "invalid" {
			k.t.Errorf("%+v, want it to be refused", answers.Items[i])
		}
	}
	return nil
}

func (k *killed) atomic(ctx context.Context, worker string, n int) error {
	prefix := fmt.Sprintf("atomic-%s-%d", worker, n)
	k.ask(prefix, fmt.Sprint(batchSize))
	_, err := k.api.CreateIntents(ctx, k.several(prefix), client.CreateOptions{Atomic: true})
	if err == nil {
		k.acknowledge("atomic", prefix)
	}
	return err
}

// refused is an atomic batch of which nothing may ever be there.
func (k *killed) refused(ctx context.Context, worker string, n int) error {
	prefix := fmt.Sprintf("atomic-refused-%s-%d", worker, n)
	list := k.several(prefix)
	list[batchSize-1].Kind = "no kind"
	_, err := k.api.CreateIntents(ctx, list, client.CreateOptions{Atomic: true})
	var p *client.Problem
	if errors.As(err, &p) && p.Status < 500 {
		k.acknowledge("refused", prefix)
		return nil
	} else if err == nil {
		k.t.Errorf("%s was accepted", prefix)
	}
	return err
}

// stream creates intents, and withdraws every other one again, ahead of the answers.
func (k *killed) stream(ctx context.Context, worker string, n int, protobuf bool) error {
	s, err := k.api.StreamIntents(ctx, protobuf)
	if err != nil {
		return err
	}
	defer s.Close()
	form := map[bool]string{true: "protobuf", false: "ndjson"}[protobuf]
	list := k.several(fmt.Sprintf("%s-%s-%d", form, worker, n))
	for i := range list {
		k.ask("intent "+list[i].ID, "100")
		if err := s.Send(&list[i]); err != nil {
			return err
		}
	}
	if err := s.Flush(); err != nil {
		return err
	}
	for i := range 2 * batchSize {
		var a client.IntentAnswer
		if err := s.Receive(&a); err != nil {
			return err
		}
		k.answered(form, &a)
		if i >= batchSize {
			continue
		}
		r := client.IntentRequest{Op: "withdraw", ID: a.ID}
		if i%2 == 0 {
			r = *k.wish(a.ID, 99)
			r.Op = "put"
			k.ask("intent "+a.ID, "99")
		} else {
			k.ask("intent "+a.ID, "")
		}
		if err := errors.Join(s.Send(&r), s.Flush()); err != nil {
			return err
		}
	}
	return s.CloseSend()
}

func (k *killed) apply(ctx context.Context, worker string, n int) error {
	if worker[0] != 'a' {
		<-ctx.Done() // the order of two applications is nobody's
		return ctx.Err()
	}
	text := fmt.Sprintf("discovery: {lldp_period: %dms}\n", 2000+n)
	k.ask("configuration", text)
	_, err := k.api.Apply(ctx, []byte(text), false)
	if err == nil {
		k.acknowledge("apply", "configuration")
	}
	return err
}

// drain drains a port, and every second time ends the drain.
func (k *killed) drain(ctx context.Context, worker string, n int) error {
	object := fmt.Sprintf("%s/%d", k.ends[worker[0]-'a'].DPID, k.ends[0].Port+1+uint32(n)%4)
	k.ask("drain "+object, "drained")
	if _, err := k.api.Drain(ctx, "port", object); err != nil {
		return err
	}
	k.acknowledge("drain", "drain "+object)
	if n%2 == 0 {
		return nil
	}
	k.ask("drain "+object, "")
	err := k.api.Undrain(ctx, "port", object)
	if err == nil {
		k.acknowledge("drain", "drain "+object)
	}
	return err
}

func (k *killed) backup(ctx context.Context, _ string, _ int) error {
	var b bytes.Buffer
	if err := k.api.Backup(ctx, &b); err != nil {
		return err
	}
	if _, err := store.ReadSnapshot(bytes.NewReader(b.Bytes()), nil); err != nil {
		k.t.Errorf("a backup that was whole: %v", err)
	}
	k.acknowledge("backup", "backup")
	return nil
}
