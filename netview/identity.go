package netview

import (
	"slices"

	"github.com/weirnet/weir/openflow"
)

// SamePort reports whether two rows are of one port. Within a switch a port is identified by its
// name and its hardware address: the switch may give a port another number, or a number to another
// port. Reserved ports, such as PortLocal, are identified by their number: the address of Open
// vSwitch's own port changes with the ports that a bridge has.
func (p *Port) SamePort(q *Port) bool {
	if p.Number >= openflow.PortMax || q.Number >= openflow.PortMax {
		return p.Number == q.Number
	}
	return p.Name == q.Name && p.MAC == q.MAC
}

// PortsLeft are the numbers under which a switch had a port in an earlier row that it has not under
// that number now: the port went, or another has come in its place. What was meant for such a port
// must not be done to what is there now. The rows' ports are in order; now is nil for a switch that
// went.
func PortsLeft(was, now *Switch) (numbers []uint32) {
	var ports []Port
	if now != nil {
		ports = now.Ports
	}
	for i := range was.Ports {
		p := &was.Ports[i]
		j, found := slices.BinarySearchFunc(ports, p.Number, func(q Port, number uint32) int {
			return Point{Port: q.Number}.Compare(Point{Port: number})
		})
		if !found || !p.SamePort(&ports[j]) {
			numbers = append(numbers, p.Number)
		}
	}
	return numbers
}
