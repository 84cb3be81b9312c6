package tenant

import (
	"fmt"
	"strings"

	"github.com/weirnet/weir/netview"
)

// FormatPort writes what a port of a definition stands for: DPID/PORT, DPID/* or *.
func FormatPort(p netview.Point) string {
	switch {
	case p == AllPorts:
		return "*"
	case p.Port == 0:
		return p.DPID.String() + "/*"
	}
	return p.String()
}

// ParseController reads a controller as String writes it: tcp:HOST:PORT or ssl:HOST:PORT. Definition.Check finds what is
// wrong with the address.
func ParseController(text string) (Controller, error) {
	scheme, address, _ := strings.Cut(text, ":")
	if scheme != "tcp" && scheme != "ssl" {
		return Controller{}, fmt.Errorf("%q given, want tcp:HOST:PORT or ssl:HOST:PORT", text)
	}
	return Controller{Address: address, TLS: scheme == "ssl"}, nil
}
