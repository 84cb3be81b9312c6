package southbound

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/session/pipe"
)

// TestHeld: switches have an instance that stands by as a slave, and nothing begins. When it takes over each session begins
// as if it had just connected, with the ports as they are by then, and the owner before may write no more. A switch that
// connects while it takes over begins too.
func TestHeld(t *testing.T) {
	for _, version := range []openflow.Version{openflow.V10, openflow.V13} {
		synctest.Test(t, func(t *testing.T) {
			owner, standby := newContender(t, 5), newContender(t, 5)
			standby.g.Standby.Hold()
			dialer, roles := session.NewDialer(session.Config{Versions: []openflow.Version{version}}), new(session.Roles)
			defer dialer.Close(context.Background())
			owner.meet(dialer, roles, 7)
			held := standby.meet(dialer, roles, 7)
			gone := standby.meet(dialer, new(session.Roles), 8)
			if held.Role() != openflow.RoleSlave || standby.sw != nil || standby.g.Standby.Held() != 2 {
				t.Fatalf("%v: role %v, begun %t, %d held", version, held.Role(), standby.sw != nil, standby.g.Standby.Held())
			}
			owner.is("the owner beside a standby", true)
			for _, p := range []openflow.PortStatus{
				{Reason: openflow.PortAdded, Port: openflow.Port{Number: 40, Name: "a"}},
				{Reason: openflow.PortModified, Port: openflow.Port{Number: 40, Name: "b"}},
				{Reason: openflow.PortAdded, Port: openflow.Port{Number: 41}},
				{Reason: openflow.PortDeleted, Port: openflow.Port{Number: 41}},
			} {
				if _, err := held.Send(&p); err != nil {
					t.Fatal(err)
				}
			}
			gone.Close(nil)
			synctest.Wait()
			if standby.g.Standby.Held() != 1 {
				t.Errorf("%v: %d are held, and one has gone", version, standby.g.Standby.Held())
			}
			standby.terms.term = 6
			standby.g.Standby.Take()
			standby.is("the standby, that has taken over", true)
			_ = owner.write() // the switch refuses it
			owner.is("the owner, replaced", false)
			if held.Role() != openflow.RoleMaster {
				t.Errorf("%v: the switch has it as %v", version, held.Role())
			}
			ports := map[uint32]string{}
			sw, _ := standby.g.cfg.View.Snapshot().Switch(7)
			for _, p := range sw.Ports {
				ports[p.Number] = p.Name
			}
			if name, ok := ports[40]; !ok || name != "b" || len(ports) != 1+len(hubPorts(owner, 7)) {
				t.Errorf("%v: its ports are %v", version, ports)
			}
			standby.sw = nil
			standby.meet(dialer, new(session.Roles), 9)
			standby.is("a switch that comes later", true)
		})
	}
}

func hubPorts(c *contender, dpid netview.DPID) (numbers []uint32) {
	sw, _ := c.g.cfg.View.Snapshot().Switch(dpid)
	for _, p := range sw.Ports {
		numbers = append(numbers, p.Number)
	}
	return numbers
}

// describing is a switch at which something happens while it is asked what it is.
type describing struct {
	session.SwitchHandler
	during func()
}

func (d describing) Message(s *session.Session, h openflow.Header, m openflow.Message) {
	d.during()
	d.SwitchHandler.Message(s, h, m)
}

// TestTakenDuringHandshake: a session that asked for the role of slave, and connects when the instance has taken over, is
// asked for that of master before it begins.
func TestTakenDuringHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newContender(t, 5)
		c.g.Standby.Hold()
		dialer := session.NewDialer(session.Config{})
		defer dialer.Close(context.Background())
		a, b := pipe.New(pipe.Options{})
		if _, err := c.g.Server.ServeConn(a); err != nil {
			t.Fatal(err)
		}
		s, err := dialer.ServeConn(b, new(session.Roles), describing{strict{hub.Switch(7)}, sync.OnceFunc(c.g.Standby.Take)})
		if err != nil {
			t.Fatal(err)
		}
		c.is("taken during the handshake", true)
		if s.Role() != openflow.RoleMaster {
			t.Errorf("the switch has it as %v", s.Role())
		}
	})
}

// TestAskedBeforeTaken: the switches give the role, and who was their master has lost it, before the engines are there;
// sessions begin when they are, also of switches that connect in between, each once.
func TestAskedBeforeTaken(t *testing.T) {
	for _, between := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			owner, c := newContender(t, 5), newContender(t, 6)
			c.g.Standby.Hold()
			dialer, roles := session.NewDialer(session.Config{}), new(session.Roles)
			defer dialer.Close(context.Background())
			owner.meet(dialer, roles, 7)
			var held *session.Session
			if !between {
				held = c.meet(dialer, roles, 7)
			}
			c.g.Standby.Ask()
			if between {
				held = c.meet(dialer, roles, 7)
			}
			synctest.Wait()
			if held.Role() != openflow.RoleMaster || c.sw != nil || c.g.Standby.Held() != 1 {
				t.Errorf("asked: role %v, begun %t, %d held", held.Role(), c.sw != nil, c.g.Standby.Held())
			}
			_ = owner.write()
			owner.is("the owner, replaced", false)
			c.g.Standby.Take()
			c.is("taken", true)
			if c.g.Standby.Held() != 0 || len(hubPorts(c, 7)) != len(hubPorts(owner, 7)) {
				t.Errorf("%d held, ports %v", c.g.Standby.Held(), hubPorts(c, 7))
			}
		})
	}
}
