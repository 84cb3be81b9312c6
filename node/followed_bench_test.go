package node_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/datadir"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/store"
	blocks "github.com/weirnet/weir/store/journal"
)

// filled is a store with so many intents of paths over five of a hundred switches, and their decisions.
func filled(b *testing.B, n int) *store.Memory {
	st := store.NewMemory(nil)
	write := func(prefix string, record func(i int) []byte) {
		j, err := blocks.Open(b.Context(), st, blocks.Config{Prefix: prefix})
		if err != nil {
			b.Fatal(err)
		}
		for i := range n {
			rec := []blocks.Record{{Number: uint32(i + 1), Data: record(i)}}
			if err := j.Append(rec, func(store.Revision, error) {}); err != nil {
				b.Fatal(err)
			}
			for i%1000 == 999 && j.Waiting() {
				j.Turn(b.Context())
			}
		}
		for j.Waiting() {
			j.Turn(b.Context())
		}
	}
	dpid := func(i, hop int) uint64 { return uint64((i+hop*7)%100 + 1) }
	ports := func(i int) (from, to uint32) { return 10 + uint32(i/100)%8, 10 + uint32(i/800)%8 }
	write(datadir.Intents, func(i int) []byte {
		from, to := ports(i)
		s := spec.Spec{ID: fmt.Sprint("i", i), Kind: spec.PointToPoint, Priority: 100,
			Src: []spec.End{{Point: netview.Point{DPID: netview.DPID(dpid(i, 0)), Port: from}}},
			Dst: []spec.End{{Point: netview.Point{DPID: netview.DPID(dpid(i, 4)), Port: to}}}}
		s.Selector.SetUint(openflow.FieldEthType, 0x800)
		s.Selector.SetUint(openflow.FieldIPv4Dst, 0x0a000000+uint64(i))
		s.Selector.SetUint(openflow.FieldIPv4Src, 0x0b000000+uint64(i))
		if err := s.Check(); err != nil {
			b.Fatal(err)
		}
		return s.Append(nil)
	})
	write(datadir.Decisions, func(i int) []byte {
		from, to := ports(i)
		d := []byte{1, 0, 1, 5} // format, version, hops
		for hop := range 5 {
			in, out := uint64(1), uint64(2)
			if hop == 0 {
				in = uint64(from)
			}
			if hop == 4 {
				out = uint64(to)
			}
			for _, v := range []uint64{dpid(i, hop), in, 1, out} {
				d = binary.AppendUvarint(d, v)
			}
		}
		return append(d, 0)
	})
	return st
}

// timed is a store that says when it was taken.
type timed struct {
	store.Store
	took func()
}

func (s *timed) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	result, err := s.Store.Txn(ctx, txn)
	if err == nil && result.Succeeded {
		for _, op := range txn.Then {
			if op.Kind == store.OpPut && string(op.Key) == "instances/owner" {
				s.took()
			}
		}
	}
	return result, err
}

func (*timed) Close() error { return nil }

// BenchmarkTakeOver is the time from when an instance owns the store to when it serves, and to when all intents are ordered
// again: of one that has stood by, and of one that begins.
func BenchmarkTakeOver(b *testing.B) {
	for _, n := range []int{1000, 30_000, 100_000, 1_000_000} {
		for _, stoodBy := range []bool{true, false} {
			b.Run(fmt.Sprintf("%d/%s", n, map[bool]string{true: "stood by", false: "begins"}[stoodBy]), func(b *testing.B) {
				memory := filled(b, n)
				var serves, ordered []time.Duration
				used := int64(0)
				for b.Loop() {
					s, o, heap := takeOver(b, memory, n, stoodBy)
					serves, ordered, used = append(serves, s), append(ordered, o), max(used, heap)
				}
				slices.Sort(serves)
				slices.Sort(ordered)
				b.ReportMetric(serves[len(serves)/2].Seconds()*1000, "ms-to-serve")
				b.ReportMetric(serves[len(serves)-1].Seconds()*1000, "ms-to-serve-most")
				b.ReportMetric(ordered[len(ordered)/2].Seconds()*1000, "ms-to-ordered")
				b.ReportMetric(ordered[len(ordered)-1].Seconds()*1000, "ms-to-ordered-most")
				if stoodBy {
					b.ReportMetric(float64(used)/float64(n), "standby-bytes/intent")
				}
			})
		}
	}
}

// takeOver returns the times, and how much an instance that stands by has on the heap more than before.
func takeOver(b *testing.B, memory *store.Memory, n int, standsBy bool) (serves, ordered time.Duration, used int64) {
	owner := store.Key("instances/owner")
	if standsBy {
		row := []byte(`{"name":"other","api":"192.0.2.1:8181","life":"x"}`)
		if _, err := memory.Txn(b.Context(), store.Txn{Then: []store.Op{store.Put(owner.From, row)}}); err != nil {
			b.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	cfg := config(b)
	usual(&cfg)
	took, ready, engines := make(chan time.Time, 1), make(chan time.Time, 1), make(chan *intent.Engine, 1)
	st := &counted{Store: &timed{memory, func() {
		select {
		case took <- time.Now():
		default:
		}
	}}}
	cfg.OpenStore, cfg.SharedStore = func() (store.Store, error) { return st, nil }, true
	cfg.Log = slog.New(slog.NewTextHandler(b.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	cfg.Ready = func(node.Addresses) { ready <- time.Now() }
	cfg.Intents = func(e *intent.Engine) { engines <- e }
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- node.Run(ctx, cfg) }()
	if standsBy {
		for still, was := 0, int64(0); still < 3; was = used { // until it has read all, and does not grow
			time.Sleep(500 * time.Millisecond)
			runtime.GC()
			runtime.ReadMemStats(&after)
			used = int64(after.HeapAlloc) - int64(before.HeapAlloc)
			if still++; st.read.Load() < 3 || used > was+was/50+1<<20 {
				still = 0
			}
		}
		if _, err := memory.Txn(b.Context(), store.Txn{Then: []store.Op{store.Delete(owner)}}); err != nil {
			b.Fatal(err)
		}
	}
	e, at := <-engines, <-took
	serves = (<-ready).Sub(at)
	for {
		if c := e.Counts().ByState; c[intent.Submitted] == 0 {
			ordered = time.Since(at)
			break
		}
		time.Sleep(time.Millisecond)
	}
	if list, _ := e.List(0, n+1, nil); len(list) != n {
		b.Fatalf("%d intents, want %d", len(list), n)
	}
	stop()
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
	if _, err := memory.Txn(b.Context(), store.Txn{Then: []store.Op{store.Delete(owner)}}); err != nil {
		b.Fatal(err)
	}
	return serves, ordered, used
}
