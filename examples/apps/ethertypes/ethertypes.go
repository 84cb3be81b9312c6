package ethertypes

import (
	"fmt"
	"maps"

	"github.com/weirnet/weir/app"
)

// Spec is the application, as an instance lists it.
var Spec = app.Spec{Name: "ethertypes", Text: "counts packets to the controller by EtherType", Settings: Settings{}, New: New}

// Settings are what the configuration may say of it.
type Settings struct {
	Most uint64 `yaml:"most" default:"64" min:"1" max:"65536" restart:"true" doc:"EtherTypes that are told apart; the rest is \"other\"."`
}

// Counter is the application. All its methods are called by one goroutine.
type Counter struct {
	most    uint64
	packets map[string]uint64
}

// New makes it.
func New(env app.Env) (app.App, error) {
	return &Counter{most: env.Settings.(Settings).Most, packets: make(map[string]uint64)}, nil
}

// Filters implements app.PacketHandler: the empty filter selects all packets.
func (c *Counter) Filters() []app.Filter { return []app.Filter{{}} }

// PacketIn implements app.PacketHandler.
func (c *Counter) PacketIn(p *app.Packet) {
	name := fmt.Sprintf("0x%04x", p.Key.EtherType)
	if _, known := c.packets[name]; !known && uint64(len(c.packets)) >= c.most {
		name = "other"
	}
	c.packets[name]++
}

// Routes implements app.Server.
func (c *Counter) Routes() []app.Route {
	return []app.Route{app.Get("", "Packets to the controller, by EtherType", func() EtherTypeCounts {
		return EtherTypeCounts{maps.Clone(c.packets)}
	})}
}

// EtherTypeCounts is the answer.
type EtherTypeCounts struct {
	Packets map[string]uint64 `json:"packets" doc:"By EtherType, hexadecimal."`
}
