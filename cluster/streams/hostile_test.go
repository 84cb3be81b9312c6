package streams

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/cluster/liveness"
	"github.com/weirnet/weir/session/pipe"
)

// TestFramesThatDoNotBelong end the connection on which they come, and are told; the instance goes on.
func TestFramesThatDoNotBelong(t *testing.T) {
	beat := liveness.Heartbeat{From: liveness.Life{ID: 3, Incarnation: 0x30}, Number: 1, Period: 10 * ms}
	frame := func(typ frameType, payload []byte) []byte {
		return append(header{len(payload), typ, kindBulk, 1}.append(nil), payload...)
	}
	other := beat
	other.From.Incarnation++
	for _, c := range []struct {
		lane lane
		b    []byte
		want string
	}{
		{beats, frame(frameMessage, nil), "type 2, kind 3, number 1 among beats"},
		{beats, frame(frameHeartbeat, other.Append(nil)), "its previous life"},
		{beats, frame(frameHeartbeat, beat.Append(nil)[1:]), "heartbeat of 33 bytes"},
		{beats, frame(frameHeartbeat, make([]byte, liveness.MaxLength+1)), "frame of 1059 bytes, want at most 1058"},
		{beats, []byte(strings.Repeat("x", headerLength)), "want at most"},
		{messages, frame(frameData, nil), "type 7, kind 3, number 1 among messages"},
		{messages, frame(frameRequest, []byte{1, 2, 3}), "type 3"},
		{messages, header{MaxPayload + 1, frameMessage, 1, 1}.append(nil), "frame of 1048577 bytes"},
		{messages, []byte{0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0}, "frame of type 10.0, want 1 to 9"},
		{bulk, frame(frameHeartbeat, nil), "type 1, kind 3, number 1 among bulk"},
		{bulk, frame(frameMessage, nil), "type 2"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := alone(t, func(cfg *Config) {
				cfg.Kinds = []Kind{{Number: kindBulk, Bulk: &Receiver{Began: func(ID) {}, Ended: func(ID, error) {},
					Take: func(ID, []byte) error { return nil }}}}
			})
			defer s.Close()
			near, far := pipe.New(pipe.Options{})
			nc := newConn(s, 3, beat.From, c.lane, far, c.lane.reader(newReader(far)))
			if err := s.attach(nc); err != nil {
				t.Fatal(err)
			}
			go drain(near)
			if c.lane == beats {
				_, _ = near.Write(frame(frameHeartbeat, beat.Append(nil)))
			}
			_, _ = near.Write(c.b)
			synctest.Wait()
			if err := nc.ended(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q in it", err, c.want)
			}
			near.Close()
			time.Sleep(ms)
		})
	}
}

// TestAnswersThatNobodyWaitsFor, parts of streams that were not begun and their ends are passed over.
func TestAnswersThatNobodyWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := alone(t, func(cfg *Config) {
			cfg.Kinds = []Kind{{Number: kindBulk, Bulk: &Receiver{Began: func(ID) { t.Error("begun") },
				Ended: func(ID, error) { t.Error("ended") }, Take: func(ID, []byte) error { t.Error("taken"); return nil }}}}
		})
		defer s.Close()
		for l, types := range map[lane][]frameType{messages: {frameAnswer, frameRefusal, frameMessage},
			bulk: {frameData, frameEnd, frameStop}} {
			near, far := pipe.New(pipe.Options{})
			nc := newConn(s, 3, liveness.Life{ID: 3, Incarnation: 0x30}, l, far, l.reader(newReader(far)))
			if err := s.attach(nc); err != nil {
				t.Fatal(err)
			}
			go drain(near)
			for _, typ := range types {
				_, _ = near.Write(header{0, typ, kindBulk, 9}.append(nil))
			}
			synctest.Wait()
			if err := nc.ended(); err != nil {
				t.Error(err)
			}
			near.Close()
		}
	})
}

// TestNextLife: with the first connection of a next life those of the life before end, which may be half open.
func TestNextLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := alone(t)
		defer s.Close()
		attach := func(life uint64, l lane) *conn {
			_, far := pipe.New(pipe.Options{})
			c := newConn(s, 3, liveness.Life{ID: 3, Incarnation: life}, l, far, newReader(far))
			if err := s.attach(c); err != nil {
				t.Fatal(err)
			}
			return c
		}
		before := []*conn{attach(0x30, beats), attach(0x30, messages), attach(0x30, bulk)}
		now := attach(0x31, messages)
		for _, c := range before {
			if !errors.Is(c.ended(), errRenewed) {
				t.Errorf("%v: %v", c.lane, c.ended())
			}
		}
		if now.ended() != nil || s.conn(3, messages) != now || s.Connected(3) {
			t.Error("the new connection has ended, or there are old ones")
		}
		s.Close()
		if !errors.Is(now.ended(), errClosed) {
			t.Error(now.ended())
		}
	})
}

func drain(c net.Conn) {
	var b bytes.Buffer
	_, _ = b.ReadFrom(c)
}
