package emu

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

// The types of messages that the tests here send and want, which are the same in both versions.
const (
	wireHello           = 0
	wireError           = 1
	wireEchoRequest     = 2
	wireEchoReply       = 3
	wireFeaturesRequest = 5
	wireFeaturesReply   = 6
)

// firstUnused is the first number that is no message's type.
var firstUnused = map[openflow.Version]byte{openflow.V10: 22, openflow.V13: 30}

// wireController is the controller's end of a switch's connection, octet by octet.
type wireController struct {
	t    *testing.T
	conn net.Conn
}

// onTheWire starts a switch whose controller is the test itself, and reads its hello.
func onTheWire(t *testing.T) *wireController {
	t.Helper()
	ln := pipe.Listen("controller")
	start(t, Config{Topology: parse(t, "linear:1,hosts=2"), Controllers: []string{"c"}, Seed: 1, stack: newStation,
		Dial: func(ctx context.Context, _ string) (net.Conn, error) { return ln.Dial(ctx) }})
	conn, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	w := &wireController{t: t, conn: conn}
	if _, kind, _, _ := w.read(); kind != wireHello {
		t.Fatalf("the switch begins with a message of type %d", kind)
	}
	return w
}

// read is the next message of the switch that is no echo request.
func (w *wireController) read() (version, kind byte, xid uint32, body []byte) {
	w.t.Helper()
	_ = w.conn.SetReadDeadline(time.Now().Add(patience))
	for {
		var head [openflow.HeaderLen]byte
		if _, err := io.ReadFull(w.conn, head[:]); err != nil {
			w.t.Fatal(err)
		}
		body = make([]byte, int(binary.BigEndian.Uint16(head[2:]))-len(head))
		if _, err := io.ReadFull(w.conn, body); err != nil {
			w.t.Fatal(err)
		}
		if head[1] != wireEchoRequest {
			return head[0], head[1], binary.BigEndian.Uint32(head[4:]), body
		}
	}
}

// wireMessage is a message of any version, type and body.
func wireMessage(version, kind byte, xid uint32, body []byte) []byte {
	b := binary.BigEndian.AppendUint16([]byte{version, kind}, uint16(openflow.HeaderLen+len(body)))
	return append(binary.BigEndian.AppendUint32(b, xid), body...)
}

// ask sends a message and wants one of a type back, with the same xid, and returns its body.
func (w *wireController) ask(version, kind byte, body []byte, want byte) []byte {
	w.t.Helper()
	const xid = 0x77
	if _, err := w.conn.Write(wireMessage(version, kind, xid, body)); err != nil {
		w.t.Fatal(err)
	}
	_, got, back, answer := w.read()
	if got != want || back != xid {
		w.t.Fatalf("a message of type %d is answered with type %d, xid %#x: want type %d, xid %#x", kind, got, back, want, xid)
	}
	return answer
}

// TestMessagesOnTheWire: what OFTest's basic, message_types and openflow_protocol_messages ask of a
// switch by octets that our sessions do not send: a hello with a body, echoes with data and
// without, messages of another version and of a type that cannot be, after which the session goes
// on, and one of no version that there is, after which it ends.
func TestMessagesOnTheWire(t *testing.T) {
	for _, v := range versions {
		t.Run(v.String(), func(t *testing.T) {
			w := onTheWire(t)
			words := []byte("a body that a hello may have")
			if v != openflow.V10 { // elements: one of a type that nobody knows
				words = append([]byte{0, 99, 0, byte(4 + len(words))}, words...)
			}
			if _, err := w.conn.Write(wireMessage(byte(v), wireHello, 1, words)); err != nil {
				t.Fatal(err)
			}
			for _, data := range [][]byte{nil, []byte("some data")} {
				if got := w.ask(byte(v), wireEchoRequest, data, wireEchoReply); !bytes.Equal(got, data) {
					t.Errorf("an echo of %q is answered with %q", data, got)
				}
			}
			w.ask(byte(v), wireFeaturesRequest, nil, wireFeaturesReply)
			for _, c := range []struct {
				version, kind byte
				want          openflow.ErrorCode
			}{
				{2, wireEchoRequest, openflow.BadRequestBadVersion},
				{byte(v), 200, openflow.BadRequestBadType},
				{byte(v), firstUnused[v], openflow.BadRequestBadType},
				{0, wireEchoRequest, openflow.BadRequestBadVersion},
			} {
				body := w.ask(c.version, c.kind, []byte("data"), wireError)
				if got := openflow.ErrorCode(binary.BigEndian.Uint32(body)); got != c.want {
					t.Errorf("version %d, type %d: %v, want %v", c.version, c.kind, got, c.want)
				}
				if data := wireMessage(c.version, c.kind, 0x77, []byte("data")); !bytes.Equal(body[4:], data) {
					t.Errorf("version %d, type %d: the error shows %x, want %x", c.version, c.kind, body[4:], data)
				}
			}
			if n, err := w.conn.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("%d octets, %v behind a message of no version that there is, want the end", n, err)
			}
		})
	}
}

// TestGenerations: a role request is as new as its generation is, counted modulo 2^64; one that is
// stale changes nothing (OpenFlow 1.3.5, 6.3.6).
func TestGenerations(t *testing.T) {
	a := newBoss()
	joined(t, "linear:1,hosts=2", a, openflow.V13, nil)
	s := a.of(t, 1)
	request := func(r openflow.Role, generation uint64) openflow.RoleReply {
		t.Helper()
		return *ask(t, s, &openflow.RoleRequest{Role: r, Generation: generation}).(*openflow.RoleReply)
	}
	at := request(openflow.RoleNoChange, 0)
	if at.Role != openflow.RoleEqual || request(openflow.RoleNoChange, 5) != at {
		t.Fatalf("at first %+v", at)
	}
	generation := at.Generation
	for _, role := range []openflow.Role{openflow.RoleSlave, openflow.RoleMaster} {
		for _, from := range []openflow.Role{openflow.RoleEqual, openflow.RoleSlave} {
			for _, step := range []uint64{0, 1, 1<<63 - 1} {
				request(from, generation)
				generation += step
				if got := request(role, generation); got.Role != role || got.Generation != generation {
					t.Fatalf("%v in generation %#x: %+v", role, generation, got)
				}
			}
			for _, back := range []uint64{1, 1 << 63} {
				stale := &openflow.RoleRequest{Role: openflow.RoleSlave, Generation: generation - back}
				if code := refusal(t, s, stale); code != openflow.RoleRequestFailedStale {
					t.Errorf("generation %#x after %#x: %v", generation-back, generation, code)
				}
				if got := request(openflow.RoleNoChange, 0); got.Role != role || got.Generation != generation {
					t.Errorf("after a stale request %+v, want %v in generation %#x", got, role, generation)
				}
			}
		}
	}
}

// TestRolePermissions: a slave may change nothing, by none of the messages that change something; a
// master and an equal may.
func TestRolePermissions(t *testing.T) {
	for _, v := range versions {
		a := newBoss()
		joined(t, "linear:1,hosts=2", a, v, nil)
		s := a.of(t, 1)
		p := s.Features().Ports
		if v != openflow.V10 {
			p = statistics(t, s, &openflow.PortDescRequest{}).(*openflow.PortDescList).Ports
		}
		list := []openflow.Message{
			&openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortAny, Data: make([]byte, 60)},
			toController(), &openflow.PortMod{Port: 1, HWAddr: p[0].HWAddr},
		}
		refused := openflow.BadRequestEPerm
		if v != openflow.V10 {
			list[0].(*openflow.PacketOut).InPort = openflow.PortController
			list = append(list, &openflow.GroupMod{Command: openflow.GroupDelete, Group: openflow.GroupAll},
				&openflow.MeterMod{Command: openflow.MeterDelete, Meter: openflow.MeterAll},
				&openflow.TableMod{Table: openflow.TableAll})
			refused = openflow.BadRequestIsSlave
		}
		for n, role := range []openflow.Role{openflow.RoleEqual, openflow.RoleMaster, openflow.RoleSlave, openflow.RoleEqual} {
			if n > 0 { // at first it is an equal
				ask(t, s, &openflow.RoleRequest{Role: role, Generation: uint64(n)})
			}
			for _, m := range list {
				codes := a.tell(t, s, m)
				if role != openflow.RoleSlave && codes != nil || role == openflow.RoleSlave &&
					(len(codes) != 1 || codes[0] != refused) {
					t.Errorf("OpenFlow %s: %s of a controller in role %v is answered with %v", v, m.Type(), role, codes)
				}
			}
		}
	}
}
