package netlab

import (
	"fmt"
	"net/netip"
	"os/exec"
)

// Host is a network namespace with one interface.
type Host struct {
	lab   *Lab
	Name  string
	Netns string // path of the namespace
	Dev   string // the interface in it
	MAC   string
	IP4   netip.Addr
	IP6   netip.Addr
}

// Run runs a program in the host's namespace to its end and returns what it printed; the test fails
// when the program does.
func (h *Host) Run(name string, args ...string) string {
	h.lab.t.Helper()
	return h.lab.Run("nsenter", h.in(name, args)...)
}

// Start starts a program in the host's namespace.
func (h *Host) Start(name string, args ...string) *Process {
	h.lab.t.Helper()
	return h.lab.Start("nsenter", h.in(name, args)...)
}

func (h *Host) in(name string, args []string) []string {
	return append([]string{"--net=" + h.Netns, "--", name}, args...)
}

// Addr returns the host's IPv6 or IPv4 address.
func (h *Host) Addr(six bool) netip.Addr {
	if six {
		return h.IP6
	}
	return h.IP4
}

// Ping sends count echo requests, one every 20 ms, waits a second for the last answer, and returns
// the exact counts.
func (h *Host) Ping(to netip.Addr, count int) Count {
	h.lab.t.Helper()
	args := []string{"-n", "-q", "-i", "0.02", "-W", "3", "-c", fmt.Sprint(count), to.String()}
	out, _ := exec.Command("nsenter", h.in("ping", args)...).CombinedOutput()
	c, err := parsePing(string(out))
	if err != nil {
		h.lab.t.Fatalf("%s pings %s: %v\n%s", h.Name, to, err, out)
	}
	return c
}

// PingAll lets every host ping every other once, over IPv6 or IPv4, and returns the pairs that got
// no answer, as "h1→h2". Hosts ping one after another, so that a failure names one pair; after ten
// failures no more are tried.
func (n *Network) PingAll(six bool) (lost []string) {
	n.lab.t.Helper()
	for i, a := range n.Hosts {
		if i%4 == 0 {
			n.flushNeighbours()
		}
		for _, b := range n.Hosts {
			if a == b {
				continue
			}
			if c := a.Ping(b.Addr(six), 1); c.Received != 1 || c.Duplicates != 0 {
				lost = append(lost, fmt.Sprintf("%s→%s %+v", a.Name, b.Name, c))
			}
			if len(lost) == 10 {
				return append(lost, "…")
			}
		}
	}
	return lost
}
