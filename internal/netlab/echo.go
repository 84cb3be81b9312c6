package netlab

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
)

// Know has the host know another's address: no ARP goes before its packets.
func (h *Host) Know(other *Host) {
	h.lab.t.Helper()
	h.Run("ip", "neigh", "replace", other.IP4.String(), "lladdr", other.MAC, "dev", h.Dev, "nud", "permanent")
}

var roundTrip = regexp.MustCompile(`icmp_seq=(\d+) .*time=([0-9.]+) ms`)

// Echo is one echo request and its reply, as the interfaces of both hosts saw them.
type Echo struct {
	probe.Echo
	RTT time.Duration // what ping said; 0 if it said nothing
}

// Echoes pings another host over IPv4, with so many bytes of ICMP payload, and returns what both
// interfaces saw, by the kernel's own time stamps. Echoes that were lost are left out.
func (h *Host) Echoes(to *Host, count, payload int, interval time.Duration) (list []Echo) {
	h.lab.t.Helper()
	addresses := []packet.Addr{packet.AddrFrom(h.IP4), packet.AddrFrom(to.IP4)}
	mine, theirs := probe.NewAssembler(0, addresses...), probe.NewAssembler(0, addresses...)
	a, b := h.watch(adder(mine)), to.watch(adder(theirs))
	args := []string{"-n", "-c", fmt.Sprint(count), "-i", fmt.Sprint(interval.Seconds()), "-W", "2", "-s",
		fmt.Sprint(payload), to.IP4.String()}
	out, _ := exec.Command("nsenter", h.in("ping", args)...).CombinedOutput()
	a.end()
	b.end()
	said := map[int]time.Duration{}
	for _, m := range roundTrip.FindAllStringSubmatch(string(out), -1) {
		seq, _ := strconv.Atoi(m[1])
		ms, _ := strconv.ParseFloat(m[2], 64)
		said[seq] = time.Duration(ms * float64(time.Millisecond))
	}
	there, back := probe.Pair(mine.Passages(), theirs.Passages()), probe.Pair(theirs.Passages(), mine.Passages())
	for _, e := range probe.Echoes(there, back) {
		list = append(list, Echo{Echo: e, RTT: said[e.Seq()]})
	}
	return list
}

func adder(to *probe.Assembler) func(*nic.Frame) {
	return func(f *nic.Frame) { to.Add(probe.Stamp(f.At), f.Out, f.Length, f.Bytes) }
}
