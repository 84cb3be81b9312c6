package hub

import (
	"context"
	"testing"
	"time"

	"github.com/weirnet/weir/probe/controller"
)

// StartReactive runs a controller that sets up the flows of one switch, between two of its ports,
// each when its first packet comes. It answers at once, and ends with the test.
func StartReactive(t testing.TB, ports [2]uint32) *controller.Controller {
	t.Helper()
	c, err := controller.Listen("127.0.0.1:0", controller.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c.React(controller.Forwarding{Out: controller.Between(ports[0], ports[1])})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = c.Close(ctx)
	})
	return c
}
