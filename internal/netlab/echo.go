package netlab

import (
	"fmt"
	"net/netip"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// Adopt takes a namespace as a host whose interface something else has made.
func (l *Lab) Adopt(name, device, mac string, address netip.Addr) *Host {
	return &Host{lab: l, Name: name, Netns: "/run/netns/" + name, Dev: device, MAC: mac, IP4: address}
}

// Know has the host know another's address: no ARP goes before its packets.
func (h *Host) Know(other *Host) {
	h.lab.t.Helper()
	h.Run("ip", "neigh", "replace", other.IP4.String(), "lladdr", other.MAC, "dev", h.Dev, "nud", "permanent")
}

var roundTrip = regexp.MustCompile(`icmp_seq=(\d+) .*time=([0-9.]+) ms`)

// Echoes pings another host over IPv4, with so many bytes of ICMP payload, and returns what both
// interfaces saw, by the kernel's own time stamps. Echoes that were lost are left out.
func (h *Host) Echoes(to *Host, count, payload int, interval time.Duration) []Echo {
	h.lab.t.Helper()
	var atMine, atTheirs []echoFrame
	mine, theirs := h.watch(recordEchoes(&atMine)), to.watch(recordEchoes(&atTheirs))
	args := []string{"-n", "-c", fmt.Sprint(count), "-i", fmt.Sprint(interval.Seconds()), "-W", "2", "-s",
		fmt.Sprint(payload), to.IP4.String()}
	out, _ := exec.Command("nsenter", h.in("ping", args)...).CombinedOutput()
	mine.end()
	theirs.end()
	list := echoes(atMine, atTheirs, h.IP4, to.IP4)
	said := map[int]time.Duration{}
	for _, m := range roundTrip.FindAllStringSubmatch(string(out), -1) {
		seq, _ := strconv.Atoi(m[1])
		ms, _ := strconv.ParseFloat(m[2], 64)
		said[seq] = time.Duration(ms * float64(time.Millisecond))
	}
	for i := range list {
		list[i].RTT = said[list[i].Seq]
	}
	return list
}

func recordEchoes(list *[]echoFrame) func(at time.Time, frame []byte) {
	return func(at time.Time, frame []byte) {
		if s, ok := parseEchoFrame(at, frame); ok {
			*list = append(*list, s)
		}
	}
}
