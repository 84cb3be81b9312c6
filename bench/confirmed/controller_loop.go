package confirmed

import (
	"context"
	"fmt"
	"net"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Listen makes a controller at a free port of loopback, which accepts until Close.
func Listen() (*Controller, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &Controller{listener: l}
	c.server = session.NewServer(session.Config{Versions: []openflow.Version{openflow.V13}}, c)
	c.serving.Go(func() { _ = c.server.Serve(l) })
	return c, nil
}

// Close ends the controller, and waits.
func (c *Controller) Close() {
	_ = c.server.Close(context.Background())
	c.serving.Wait()
}

// Missing reads the entries of all switches that ever connected, while nothing is added. It returns how many were confirmed,
// at the switches that were not restarted, and how many of those are not there any more.
func (c *Controller) Missing(ctx context.Context, restarted func(dpid uint64) bool) (confirmed, missing int, err error) {
	c.mu.Lock()
	list := append([]*tenantSwitch(nil), c.switches...)
	c.mu.Unlock()
	for _, sw := range list {
		c.mu.Lock()
		s := sw.session
		c.mu.Unlock()
		if s == nil {
			return 0, 0, fmt.Errorf("%w: %016x", errAway, sw.dpid)
		}
		all := openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
		m, err := s.RequestContext(ctx, &openflow.MultipartRequest{Body: &openflow.FlowRequest{FlowFilter: all}})
		if err != nil {
			return 0, 0, fmt.Errorf("entries of the tenant's switch %016x: %w", sw.dpid, err)
		}
		there := map[uint64]bool{}
		for _, e := range m.(*openflow.MultipartReply).Body.(*openflow.FlowStatsList).Flows {
			there[e.Cookie] = true
		}
		if restarted(sw.dpid) {
			continue
		}
		c.mu.Lock()
		for cookie := range sw.confirmed {
			if confirmed++; !there[cookie] {
				missing++
			}
		}
		c.mu.Unlock()
	}
	return confirmed, missing, nil
}

// Forget removes the entries of all switches.
func (c *Controller) Forget(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, sw := range c.switches {
		if sw.session == nil {
			return fmt.Errorf("%w: %016x", errAway, sw.dpid)
		}
		_, err := sw.session.Send(&openflow.FlowMod{Command: openflow.FlowDelete, Table: openflow.TableAll,
			Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny})
		if err != nil {
			return err
		}
		clear(sw.confirmed)
	}
	return nil
}
