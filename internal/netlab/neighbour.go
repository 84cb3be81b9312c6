package netlab

// resolved selects neighbour entries for ip neigh flush: all but those that are being resolved, with
// which the packets would go that wait for an answer. A ping of the test's own would be lost.
const resolved = "nud reachable nud stale nud delay nud probe"

// ForgetNeighbours makes the host's neighbour entries expire within seconds instead of half a
// minute, and has it ask everybody again, by broadcast and multicast, and not only the neighbour it
// knew.
func (h *Host) ForgetNeighbours() {
	h.lab.t.Helper()
	for _, family := range []string{"ipv4", "ipv6"} {
		of := "net." + family + ".neigh." + h.Dev + "."
		h.Run("sysctl", "-q", "-w", of+"base_reachable_time_ms=5000", of+"delay_first_probe_time=1", of+"gc_stale_time=5",
			of+"ucast_solicit=0", of+"mcast_resolicit=3")
	}
}

// flushNeighbours has all hosts forget who their neighbours are. The kernel has room for 1024
// neighbours in the tables of all namespaces of the machine together
// (net.ipv4.neigh.default.gc_thresh3, and the same of IPv6): two networks of 27 hosts of which each
// has spoken to each are more.
func (n *Network) flushNeighbours() {
	n.lab.t.Helper()
	for _, h := range n.Hosts {
		flush := "ip neigh flush dev " + h.Dev + " " + resolved + " nud failed"
		h.Run("sh", "-c", flush+" || "+flush) // it fails where an entry goes by itself meanwhile
	}
}
