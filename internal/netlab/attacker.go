package netlab

import (
	"bytes"
	"encoding/binary"
	"net"
	"sync"
	"time"
)

// Overheard waits for a discovery frame that Weir sends to the host's port, as anybody with a cable
// can, and returns it.
func (h *Host) Overheard(limit time.Duration) (frame []byte) {
	h.lab.t.Helper()
	s, err := h.raw()
	if err != nil {
		h.lab.t.Fatal(err)
	}
	defer s.close()
	h.lab.Eventually(limit, h.Name+" overhears a discovery frame", func() bool {
		err := s.receive(50*time.Millisecond, func(f []byte) {
			if frame == nil && len(f) > 14 && binary.BigEndian.Uint16(f[12:]) == 0x88cc {
				frame = bytes.Clone(f)
			}
		})
		if err != nil {
			h.lab.t.Fatal(err)
		}
		return frame != nil
	})
	return frame
}

// Send sends frames from the host's interface, whatever they claim.
func (h *Host) Send(frames ...[]byte) {
	h.lab.t.Helper()
	s, err := h.raw()
	if err != nil {
		h.lab.t.Fatal(err)
	}
	defer s.close()
	for _, f := range frames {
		if err := s.send(f); err != nil {
			h.lab.t.Fatal(err)
		}
	}
}

// Impersonate has the host say, in an ARP request, that it is another one.
func (h *Host) Impersonate(other *Host) {
	h.lab.t.Helper()
	h.lab.tags++
	mac, err := net.ParseMAC(other.MAC)
	if err != nil {
		h.lab.t.Fatal(err)
	}
	h.Send(arpRequest(mac, other.IP4, h.lab.tags))
}

// Relay carries every discovery frame that comes to either of two hosts to the other one's port,
// until end is called: two conspirators who want to be taken for a cable.
func (l *Lab) Relay(a, b *Host) (end func()) {
	l.t.Helper()
	var sockets [2]socket
	for i, h := range []*Host{a, b} {
		s, err := h.raw()
		if err != nil {
			l.t.Fatal(err)
		}
		sockets[i] = s
	}
	done := make(chan struct{})
	var running sync.WaitGroup
	carry := func(from, to socket) {
		for {
			select {
			case <-done:
				return
			default:
			}
			_ = from.receive(20*time.Millisecond, func(f []byte) {
				if len(f) > 14 && binary.BigEndian.Uint16(f[12:]) == 0x88cc {
					_ = to.send(f)
				}
			})
		}
	}
	running.Go(func() { carry(sockets[0], sockets[1]) })
	running.Go(func() { carry(sockets[1], sockets[0]) })
	return func() {
		close(done)
		running.Wait()
		sockets[0].close()
		sockets[1].close()
	}
}

// Hub joins two switches by a bridge of the kernel's, on which nobody speaks: what a forgotten desk
// switch does.
func (l *Lab) Hub(a, b End, switches []Switch) {
	l.t.Helper()
	l.Run("ip", "link", "add", "hub", "type", "bridge")
	l.silence("hub")
	for i, e := range []End{a, b} {
		l.Silent(e, []string{"hub-a", "hub-b"}[i], switches)
		l.Run("ip", "link", "set", []string{"hub-a", "hub-b"}[i], "master", "hub")
	}
}

// Silent adds a port to a switch, with carrier. What is behind it is an interface in the lab's
// namespace that says nothing.
func (l *Lab) Silent(e End, behind string, switches []Switch) {
	l.t.Helper()
	l.Run("ip", "link", "add", e.Device, "type", "veth", "peer", "name", behind)
	l.silence(behind)
	l.silence(e.Device)
	s := switches[e.Switch]
	s.ovs.AddPort(s.Name, e.Device, e.Port)
}

// silence brings an interface up on which the kernel says nothing of itself.
func (l *Lab) silence(device string) {
	l.Run("sysctl", "-q", "-w", "net.ipv6.conf."+device+".disable_ipv6=1")
	l.Run("ip", "link", "set", device, "up")
}

// Carry relays every frame, discovery frames too, between two interfaces of Silent: two
// conspirators who want to be taken for a cable.
func (l *Lab) Carry(a, b string) {
	l.t.Helper()
	l.Run("ip", "link", "add", "carry", "type", "bridge", "group_fwd_mask", "0x4000") // bit 14: 01:80:c2:00:00:0e
	l.silence("carry")
	l.batch([]string{"link set " + a + " master carry", "link set " + b + " master carry"})
}

// Move plugs the host's cable out of its switch and into a port of another one.
func (h *Host) Move(from, to Switch, port int) {
	h.lab.t.Helper()
	device := h.Name + "-sw"
	from.ovs.Vsctl("del-port", from.Name, device)
	to.ovs.AddPort(to.Name, device, port)
}
