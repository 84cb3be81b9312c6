package session

import (
	"testing"
	"time"

	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/openflow"
)

// conversationOf are all messages that conversation knows, one after the other, in a version, with
// transaction ids from 1.
func conversationOf(v openflow.Version) [][]byte {
	names := []string{"hello", "features_reply", "port_desc", "desc", "role_reply", "error", "echo_request", "echo_reply",
		"features_request", "get_config_request", "set_config", "barrier_request", "barrier_reply", "role_request",
		"desc_request", "port_desc_request", "port_status", "packet_in", "packet_out", "flow_mod"}
	var all [][]byte
	for i, name := range names {
		m := messageByName(name, &golden.Command{Args: []string{"role=master", "ports=2"}})
		if b, err := openflow.Append(nil, v, uint32(i+1), m); err == nil {
			all = append(all, b)
		}
	}
	return all
}

// feed gives arbitrary bytes to a core, framed as the reader does it, and checks what must hold
// whatever comes.
func feed(t *testing.T, end End, v openflow.Version, data []byte) {
	cfg := Config{Versions: []openflow.Version{v}, Role: func(id uint64) (openflow.RoleRequest, bool) {
		return openflow.RoleRequest{Role: openflow.RoleMaster}, id&1 == 1
	}}.withDefaults()
	c := NewCore(end, &cfg, &Roles{})
	now := time.Unix(0, 0)
	answers, open := 0, 0
	sent := check(t, c, c.Start(now), &answers)
	in := input{buf: append([]byte(nil), data...), w: len(data)}
	for !c.out.closed() {
		frame, ok := in.next(c.plausible)
		if !ok {
			break
		}
		if c.state == stateReady && c.Expect(c.NextXID(), openflow.TypeMultipartRequest, now,
			func(openflow.Message, error) {}) == nil {
			open++
		}
		now = now.Add(time.Millisecond)
		if frame[7]&3 == 3 {
			sent += check(t, c, c.Step(Input{CheckAlive: true}, now), &answers)
		}
		sent += check(t, c, c.Step(Input{Frame: frame, Read: uint64(in.r)}, now), &answers)
	}
	for range 10 {
		now = now.Add(5 * time.Second)
		sent += check(t, c, c.Step(Input{Read: uint64(in.r)}, now), &answers)
	}
	check(t, c, c.End(ErrDead), &answers)
	if answers != open {
		t.Errorf("%d requests, %d answers", open, answers)
	}
	if sent > 4096+20*len(data) {
		t.Errorf("%d bytes sent for %d received", sent, len(data))
	}
	if len(c.requests.open) != 0 || len(c.backlog.events) > MaxHeldMessages {
		t.Errorf("%d requests open after the end, %d messages held", len(c.requests.open), len(c.backlog.events))
	}
}

// check sees that all that is sent are messages, counts the answers to requests, admits every
// switch but one, and returns the number of bytes.
func check(t *testing.T, c *Core, r Ready, answers *int) int {
	for b := r.Send; len(b) > 0; {
		n := int(b[2])<<8 | int(b[3])
		if _, _, err := openflow.Parse(b[:n]); err != nil {
			t.Errorf("sends %x: %v", b[:n], err)
		}
		b = b[n:]
	}
	for _, e := range r.Events {
		if e.Kind == EventAnswer {
			*answers++
		}
		if e.Kind == EventIdentified {
			sent := len(r.Send)
			admission := &Admission{}
			if c.handshake.features.Datapath == 3 {
				admission.Err = ErrInUse
			}
			return sent + check(t, c, c.Step(Input{Admission: admission}, time.Unix(0, 0)), answers)
		}
	}
	return len(r.Send)
}

// FuzzCore feeds arbitrary bytes to a core of either end.
func FuzzCore(f *testing.F) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		var whole []byte
		for _, b := range conversationOf(v) {
			whole = append(whole, b...)
		}
		for _, switchEnd := range []bool{false, true} {
			f.Add(switchEnd, v == openflow.V10, whole)
		}
	}
	f.Fuzz(func(t *testing.T, switchEnd, old bool, data []byte) {
		end, v := ControllerEnd, openflow.V13
		if switchEnd {
			end = SwitchEnd
		}
		if old {
			v = openflow.V10
		}
		feed(t, end, v, data)
	})
}

// TestCoresStandBrokenLengths breaks each message of a conversation in turn: its length field takes
// every wrong value, and the conversation ends after every byte.
func TestCoresStandBrokenLengths(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		all := conversationOf(v)
		for broken := range all {
			n := len(all[broken])
			for _, length := range []int{0, 1, 7, 8, n - 1, n + 1, 65535} {
				var data []byte
				for i, b := range all {
					at := len(data)
					data = append(data, b...)
					if i == broken {
						data[at+2], data[at+3] = byte(length>>8), byte(length)
					}
				}
				feed(t, ControllerEnd, v, data)
				feed(t, SwitchEnd, v, data)
			}
		}
		var whole []byte
		for _, b := range all {
			whole = append(whole, b...)
		}
		for cut := range whole {
			feed(t, ControllerEnd, v, whole[:cut])
			feed(t, SwitchEnd, v, whole[:cut])
		}
	}
}
