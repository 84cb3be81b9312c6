package hub

import (
	"context"
	"testing"
	"time"

	"github.com/weirnet/weir/probe/controller"
)

// StartController waits for a switch until the test ends.
func StartController(t testing.TB) *controller.Controller {
	t.Helper()
	c, err := controller.Listen("127.0.0.1:0", controller.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := c.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return c
}

// StartReactive is StartController that sets up the flows of one switch, between two of its ports, each
// when its first packet comes. It answers at once.
func StartReactive(t testing.TB, ports [2]uint32) *controller.Controller {
	t.Helper()
	c := StartController(t)
	c.React(controller.Forwarding{Out: controller.Between(ports[0], ports[1])})
	return c
}
