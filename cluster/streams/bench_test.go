package streams

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/cluster/liveness"
	"github.com/weirnet/weir/internal/need"
)

// Kinds of the benchmark: an echo on the lane of messages, and one among bulk.
const (
	kindEcho     = 11
	kindBulkEcho = 12
	kindLoad     = 13
)

// BenchmarkRoundTrip measures how long a heartbeat's bytes are under way and back, over loopback: with nothing else, beside
// 64 MiB of bulk, again and again, on a connection of its own, and on the connection of the bulk, where it goes before all
// that waits. A receiver of bulk takes it at once, or 100 MB/s.
func BenchmarkRoundTrip(b *testing.B) {
	for _, secure := range []bool{false, true} {
		for _, c := range []struct {
			name       string
			load, same bool
			pace       time.Duration // of a part of 64 KiB
		}{{"quiet", false, false, 0}, {"own", true, false, 0}, {"same", true, true, 0},
			{"own,slow", true, false, 655 * time.Microsecond},
			{"same,slow", true, true, 655 * time.Microsecond}} {
			b.Run(fmt.Sprintf("tls=%v/%s", secure, c.name), func(b *testing.B) { roundTrips(b, secure, c.load, c.same, c.pace) })
		}
	}
}

func roundTrips(b *testing.B, secure, load, same bool, pace time.Duration) {
	var pair [2]*secured
	back := make(chan struct{}, 1)
	var taken atomic.Int64
	var files [2]*cert.PeerFiles
	if secure {
		a := newAuthority(b)
		for i := range files {
			files[i] = a.files(a.Peer("x", []string{"127.0.0.1"}, a.now, time.Hour))
		}
	}
	var replies *Bulk
	for i := range pair {
		reply := func(from ID, payload []byte) error {
			switch {
			case i == 0:
				back <- struct{}{}
			case same:
				first(replies, slices.Clone(payload))
			default:
				return pair[i].Send(from, kindEcho, slices.Clone(payload))
			}
			return nil
		}
		nothing := func(ID, error) {}
		load := func(_ ID, p []byte) error {
			if pace > 0 {
				time.Sleep(pace)
			}
			taken.Add(int64(len(p)))
			return nil
		}
		pair[i] = newSecured(b, ID(i+1), files[i],
			Kind{Number: kindEcho, Message: func(from ID, payload []byte) { _ = reply(from, payload) }},
			Kind{Number: kindBulkEcho, Bulk: &Receiver{Began: func(ID) {}, Ended: nothing, Take: reply}},
			Kind{Number: kindLoad, Queue: 128 << 20, Bulk: &Receiver{Began: func(ID) {}, Ended: nothing, Take: load}})
	}
	meet(pair[0], pair[1])
	need.Await(b, "a connection", func() bool { return pair[0].Connected(2) && pair[1].Connected(1) })
	begin := func(of int, kind uint16) *Bulk {
		s, err := pair[of].Begin(ID(2-of), kind)
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	var pings *Bulk
	if same {
		pings, replies = begin(0, kindBulkEcho), begin(1, kindBulkEcho)
		time.Sleep(100 * ms) // what goes first would overtake their beginning
	}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		if !load {
			return
		}
		bulk, part := begin(0, kindLoad), make([]byte, 64<<10)
		sent := int64(0)
		for {
			for range 64 << 20 / len(part) {
				if err := bulk.Send(part); err != nil {
					b.Error(err)
					return
				}
				sent += int64(len(part))
			}
			for sent-taken.Load() > 32<<20 {
				select {
				case <-stop:
					return
				case <-time.After(ms):
				}
			}
		}
	}()
	beat := liveness.Heartbeat{From: liveness.Life{ID: 1, Incarnation: 1}, Number: 1, Period: 10 * ms,
		Hears: []liveness.Life{{ID: 2, Incarnation: 1}, {ID: 3, Incarnation: 1}}}
	payload := beat.Append(nil)
	var times []time.Duration
	if load {
		time.Sleep(100 * ms)
	}
	began, before := time.Now(), taken.Load()
	for b.Loop() {
		at := time.Now()
		if same {
			first(pings, payload)
		} else if err := pair[0].Send(2, kindEcho, payload); err != nil {
			b.Fatal(err)
		}
		select {
		case <-back:
		case <-time.After(5 * time.Second):
			if same {
				b.Log(pings.Err(), replies.Err(), pair[0].Counts(), pair[1].Counts())
			}
			b.Fatal("no answer")
		}
		times = append(times, time.Since(at))
		time.Sleep(ms)
	}
	rate := float64(taken.Load()-before) / time.Since(began).Seconds() / 1e6
	close(stop)
	<-ended
	slices.Sort(times)
	us := func(of float64) float64 { return float64(times[int(of*float64(len(times)-1))].Microseconds()) }
	b.ReportMetric(us(0.5), "µs-p50")
	b.ReportMetric(us(0.99), "µs-p99")
	b.ReportMetric(us(1), "µs-max")
	b.ReportMetric(rate, "MB/s")
	b.ReportMetric(0, "ns/op")
}

// first queues a part before all others of its connection.
func first(s *Bulk, payload []byte) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if s.c.push(frame{header: s.header(frameData), payload: payload, of: s}, 0) == nil {
		last := len(s.c.queue) - 1
		f := s.c.queue[last]
		copy(s.c.queue[1:], s.c.queue[:last])
		s.c.queue[0] = f
	}
}
