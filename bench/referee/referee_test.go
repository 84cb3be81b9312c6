package referee

import (
	"testing"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/openflow"
)

// court is a referee of one switch with two controllers, and a clock that ticks with each message.
type court struct {
	*Referee
	t   *testing.T
	now time.Time
}

func newCourt(t *testing.T) *court { return &court{New(1, 2), t, time.Unix(0, 0)} }

// send passes a message byte by byte: however it comes in pieces, it is the same.
func (c *court) send(controller int, way emu.CaptureKind, xid uint32, m openflow.Message) {
	b, err := openflow.Append(nil, openflow.V13, xid, m)
	if err != nil {
		c.t.Fatal(err)
	}
	c.now = c.now.Add(time.Millisecond)
	for i := range b {
		c.see(c.switches[0], controller, c.now, way, b[i:i+1])
	}
}

func (c *court) connect(controller int) {
	c.see(c.switches[0], controller, c.now, emu.ToController, nil)
}

func (c *court) ask(controller int, xid uint32, generation uint64) {
	c.send(controller, emu.FromController, xid, &openflow.RoleRequest{Role: openflow.RoleMaster, Generation: generation})
}

func (c *court) grant(controller int, xid uint32, generation uint64) {
	c.send(controller, emu.ToController, xid, &openflow.RoleReply{Role: openflow.RoleMaster, Generation: generation})
}

func (c *court) refuse(controller int, xid uint32) {
	c.send(controller, emu.ToController, xid, &openflow.ErrorMsg{Code: openflow.RoleRequestFailedStale})
}

// write has the switch accept a write, and wants so many stale ones so far.
func (c *court) write(controller int, stale uint64) {
	c.t.Helper()
	c.now = c.now.Add(time.Millisecond)
	m := &openflow.FlowMod{Command: openflow.FlowAdd}
	m.Match.SetUint(openflow.FieldEthType, 0x800)
	m.Match.SetUint(openflow.FieldIPv4Dst, 7)
	c.accepted(c.switches[0], controller, m, c.now)
	if _, got := c.Writes(); got != stale {
		c.t.Fatalf("%d stale writes, want %d", got, stale)
	}
}

// TestStaleWrites: nobody but the master writes; who asks is judged by the answer.
func TestStaleWrites(t *testing.T) {
	c := newCourt(t)
	c.connect(0)
	c.connect(1)
	c.write(0, 1) // never made master
	c.send(0, emu.FromController, 1, &openflow.EchoRequest{Data: make([]byte, 100)})
	c.ask(0, 2, 5)
	c.write(0, 1) // it has asked
	c.grant(0, 2, 5)
	c.write(0, 1)
	c.write(1, 2)
	c.ask(1, 3, 4)
	c.write(1, 2)
	c.refuse(1, 3) // and the write before was stale
	c.write(0, 3)
	c.ask(1, 4, 6)
	c.grant(1, 4, 6)
	c.write(1, 3)
	c.write(0, 4) // of an earlier generation
	c.ask(0, 9, 7)
	c.write(0, 4)
	c.connect(0) // and the one before had asked in vain
	c.write(1, 5)
	if got := c.Masters(); got[0] != 0 || got[1] != 1 {
		t.Errorf("masters of %v switches", got)
	}
	if e := c.Entries(7); e.Added != 10 || e.Last != c.now {
		t.Errorf("%+v", e)
	}
	if c.ForgetEntries(); c.Entries(7).Added != 0 {
		t.Error("entries are not forgotten")
	}
}

// TestSinceAMark: what the dead one does does not count, and a master that lives is one from the beginning.
func TestSinceAMark(t *testing.T) {
	c := newCourt(t)
	c.connect(0)
	c.connect(1)
	c.ask(0, 1, 1)
	c.grant(0, 1, 1)
	mark := c.now
	c.Mark(1, mark)
	if s := c.Since(); s.Mastered != 1 || s.First != mark || !s.Wrote.IsZero() {
		t.Fatalf("a bystander: %+v", s)
	}
	c.Mark(0, mark)
	c.write(0, 0)
	if s := c.Since(); s.Mastered != 0 || !s.Wrote.IsZero() {
		t.Fatalf("nobody has taken over: %+v", s)
	}
	c.ask(1, 2, 2)
	c.grant(1, 2, 2)
	at := c.now
	c.write(1, 0)
	c.write(1, 0)
	if s := c.Since(); s.Mastered != 1 || s.First != at || s.Last != at || s.Wrote != at.Add(time.Millisecond) ||
		s.Generations != 1 {
		t.Fatalf("%+v", s)
	}
}

// FuzzScanner: whatever comes, in whatever pieces, is the same.
func FuzzScanner(f *testing.F) {
	b, _ := openflow.Append(nil, openflow.V13, 3, &openflow.RoleRequest{Role: openflow.RoleMaster, Generation: 9})
	b, _ = openflow.Append(b, openflow.V13, 4, &openflow.EchoRequest{Data: []byte("echo")})
	f.Add(b, uint8(3))
	f.Add([]byte{4, 24, 0, 9, 0, 0, 0, 1, 0}, uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, size uint8) {
		var whole, pieces []message
		new(scanner).feed(b, func(m message) { whole = append(whole, m) })
		s := &scanner{}
		for len(b) > 0 {
			n := min(int(size)+1, len(b))
			s.feed(b[:n], func(m message) { pieces = append(pieces, m) })
			b = b[n:]
		}
		if len(whole) != len(pieces) {
			t.Fatalf("%d messages, in pieces %d", len(whole), len(pieces))
		}
		for i := range whole {
			if whole[i] != pieces[i] {
				t.Fatalf("%+v, in pieces %+v", whole[i], pieces[i])
			}
		}
	})
}
