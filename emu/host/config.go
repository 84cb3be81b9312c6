package host

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/weirnet/weir/packet"
)

// Config describes a host. Of its fields only MAC is required.
type Config struct {
	Name string
	MAC  packet.MAC
	IPv4 netip.Prefix // the address with the length of its network; zero: no IPv4
	IPv6 netip.Prefix // likewise
	VLAN uint16       // 1 to 4094: the tag of all frames; 0: untagged, or priority-tagged
	Seed uint64       // of all randomness

	MTU           int           // bytes of an IP packet; 0: DefaultMTU
	NeighbourLife time.Duration // how long an address is used before it is confirmed; 0: DefaultNeighbourLife
	Announce      bool          // the first Step sends what Host.Announce sends
}

// Defaults of Config.
const (
	DefaultMTU           = 1500
	DefaultNeighbourLife = 60 * time.Second
)

// Limits of the memory of one host, whatever it receives.
const (
	MaxNeighbours = 4096      // entries of the ARP and ND cache together; the oldest is evicted
	MaxHeld       = 32        // frames queued for one neighbour; the oldest is dropped
	MaxHeldBytes  = 256 << 10 // of all queued frames
	MaxSinks      = 1024      // flows of UDP that are counted one by one; a silent one is evicted
)

// Check reports what is wrong with a configuration.
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

// The least MTU is that of IPv6 (RFC 8200, section 5), the greatest is the range of a 16-bit
// length.
const (
	minMTU = 1280
	maxMTU = 65535
)
