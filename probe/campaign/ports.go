package campaign

import (
	"fmt"

	"github.com/weirnet/weir/probe/controller"
)

// Ports are those of a switch that the near and the far station were seen at, by a controller that a
// measurement had. The error is controller.ErrUnseen.
func Ports(c *controller.Controller) (near, far uint32, err error) {
	var ports [2]uint32
	for i := range ports {
		var ok bool
		if ports[i], ok = c.Place(stationMACs[i]); !ok {
			return 0, 0, fmt.Errorf("%w: %v", controller.ErrUnseen, stationMACs[i])
		}
	}
	return ports[0], ports[1], nil
}
