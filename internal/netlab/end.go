package netlab

import "fmt"

// AddEnd makes a namespace whose interface eth0 is joined to a port of the lab's, both up and with an
// MTU of so many bytes. The kernel says nothing by itself at either.
func (l *Lab) AddEnd(space, port string, mtu int) {
	l.t.Helper()
	const silent = "net.ipv6.conf.default.disable_ipv6=1"
	bytes := fmt.Sprint(mtu)
	l.Run("ip", "netns", "add", space)
	l.Run("ip", "netns", "exec", space, "sysctl", "-q", "-w", silent)
	l.Run("sysctl", "-q", "-w", silent)
	l.Run("ip", "link", "add", "name", port, "mtu", bytes, "type", "veth", "peer", "name", "eth0", "mtu", bytes, "netns",
		space)
	l.Run("ip", "link", "set", "dev", port, "up")
	l.Run("ip", "-n", space, "link", "set", "dev", "eth0", "up")
}
