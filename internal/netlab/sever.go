package netlab

// Sever drops every packet to and from an address of loopback, on which switches call an instance:
// their sessions are half open then, and neither end is told.
func (l *Lab) Sever(address string) {
	l.t.Helper()
	l.iptables("-I", address)
}

// Mend ends Sever.
func (l *Lab) Mend(address string) {
	l.t.Helper()
	l.iptables("-D", address)
}

func (l *Lab) iptables(command, address string) {
	l.t.Helper()
	for _, way := range []string{"-d", "-s"} {
		l.Run("iptables", "-w", command, "INPUT", way, address, "-p", "tcp", "-j", "DROP")
	}
}
