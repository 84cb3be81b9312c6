package netlab

import (
	"os"
	"strconv"
	"strings"
)

// Busiest returns the cable that carried the most packets, in both directions, while body ran; the
// test fails when they were fewer than least.
func (n *Network) Busiest(least int, body func()) *Cable {
	n.lab.t.Helper()
	before := make([]int, len(n.Cables))
	for i, c := range n.Cables {
		before[i] = c.packets()
	}
	body()
	best, most := n.Cables[0], -1
	for i, c := range n.Cables {
		if grown := c.packets() - before[i]; grown > most {
			best, most = c, grown
		}
	}
	if most < least {
		n.lab.t.Fatalf("the busiest cable, %s, carried %d packets, fewer than %d", best, most, least)
	}
	return best
}

// packets is the number of packets the cable's first end has received and sent.
func (c *Cable) packets() (n int) {
	c.lab.t.Helper()
	for _, counter := range []string{"rx_packets", "tx_packets"} {
		text, err := os.ReadFile("/sys/class/net/" + c.A.Device + "/statistics/" + counter)
		if err != nil {
			c.lab.t.Fatal(err)
		}
		k, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		n += k
	}
	return n
}
