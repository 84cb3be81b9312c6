package host

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/weirnet/weir/packet"
)

// Config identifies a host. All other fields may be zero.
type Config struct {
	Name string
	MAC  packet.MAC
	IPv4 netip.Prefix // the address with the length of its network; zero: no IPv4
	IPv6 netip.Prefix // likewise
	VLAN uint16       // 1 to 4094: frames have this tag and no others are taken; 0: untagged, or priority-tagged
	Seed uint64       // of everything that is drawn at random

	MTU           int           // bytes of an IP packet; 0: DefaultMTU
	NeighbourLife time.Duration // how long an answer of ARP or ND holds; 0: DefaultNeighbourLife
	Announce      bool          // the first Step sends what Host.Announce sends
}

// Defaults of Config.
const (
	DefaultMTU           = 1500
	DefaultNeighbourLife = 60 * time.Second
)

// Limits of what one host keeps, whatever it is sent.
const (
	MaxNeighbours = 4096      // entries of the ARP and ND cache together; the oldest makes room for one that is needed
	MaxHeld       = 32        // frames that wait for one neighbour's address; the oldest is dropped
	MaxHeldBytes  = 256 << 10 // of all frames that wait
	MaxSinks      = 1024      // flows of UDP that are counted one by one; one that is silent makes room
)

// Check returns what is wrong with a configuration.
func (c *Config) Check() error {
	var err error
	if c.MAC.IsZero() || c.MAC.IsMulticast() {
		err = errors.Join(err, fmt.Errorf("MAC %s: want the address of one station such as 02:00:00:00:00:01", c.MAC))
	}
	if c.IPv4.IsValid() && (!c.IPv4.Addr().Is4() || !unicast(packet.AddrFrom(c.IPv4.Addr()))) {
		err = errors.Join(err, fmt.Errorf("IPv4 %s: want a unicast address such as 10.0.0.1/8", c.IPv4))
	}
	if c.IPv6.IsValid() && (!c.IPv6.Addr().Is6() || c.IPv6.Addr().Is4In6() || !unicast(packet.AddrFrom(c.IPv6.Addr()))) {
		err = errors.Join(err, fmt.Errorf("IPv6 %s: want a unicast address such as fd00::1/64", c.IPv6))
	}
	if c.VLAN > 4094 {
		err = errors.Join(err, fmt.Errorf("VLAN %d: want 1 to 4094, or 0 for untagged", c.VLAN))
	}
	if c.MTU != 0 && (c.MTU < minMTU || c.MTU > maxMTU) {
		err = errors.Join(err, fmt.Errorf("MTU %d: want %d to %d bytes", c.MTU, minMTU, maxMTU))
	}
	if c.NeighbourLife < 0 {
		err = errors.Join(err, fmt.Errorf("life of neighbours %s: want a positive duration", c.NeighbourLife))
	}
	return err
}

// What IP demands of a link, in IPv6's case (RFC 8200, section 5: 1280), and what a length of 16
// bits can say.
const (
	minMTU = 1280
	maxMTU = 65535
)
